"""Requests on threads that are kept."""

import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from lesubscribe import kept_threads
from lesubscribe.kept_threads import KeptThreads


class Recorder:
    """An application that notes the threads its synchronous parts run on, and can be made to wait or fail."""

    def __init__(self) -> None:
        self.threads: list[tuple[int, int]] = []
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        first = await sync_to_async(threading.get_ident)()
        await self.go_on.wait()
        self.threads.append((first, await sync_to_async(threading.get_ident)()))
        if scope.get("fails"):
            raise RuntimeError("as asked")


async def ask(application: KeptThreads, **scope: bool) -> None:
    await application(scope, None, None)  # type: ignore[arg-type]


def test_one_request_after_the_other_runs_on_the_same_thread() -> None:
    async def run() -> set[int]:
        recorder = Recorder()
        application = KeptThreads(recorder)
        for _ in range(3):
            await ask(application)
        with pytest.raises(RuntimeError):
            await ask(application, fails=True)
        await ask(application)
        return {thread for both in recorder.threads for thread in both}

    assert len(asyncio.run(run())) == 1


def test_requests_at_once_have_a_thread_each_and_only_some_are_kept() -> None:
    at_once = kept_threads.MOST_IDLE + 4

    async def run() -> None:
        recorder = Recorder()
        application = KeptThreads(recorder)
        recorder.go_on.clear()
        requests = [asyncio.create_task(ask(application)) for _ in range(at_once)]
        await asyncio.sleep(0)
        recorder.go_on.set()
        await asyncio.gather(*requests)
        assert all(first == second for first, second in recorder.threads)
        assert len(set(recorder.threads)) == at_once
        assert len(application._idle) == kept_threads.MOST_IDLE

    asyncio.run(run())
