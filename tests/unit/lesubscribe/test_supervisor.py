"""The supervisor keeps its services running whatever becomes of what they say, and stops them in order."""

import asyncio
import os
import signal
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lesubscribe.supervisor import Service, Stage, Supervisor


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_log_on_a_full_disk_stops_nobody(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    script = f"echo started >> {starts}; echo something to say"

    async def started_twice() -> None:
        while not starts.exists() or starts.read_text().count("started") < 2:
            await asyncio.sleep(0.02)
        os.kill(os.getpid(), signal.SIGTERM)

    with open("/dev/full", "w", buffering=1) as log:
        service = Service("talker", ["sh", "-c", script], "green")
        supervisor = Supervisor([Stage([service], started_twice)], Console(file=log))
        asyncio.run(asyncio.wait_for(supervisor.run(), timeout=600))
        assert starts.read_text().count("started") >= 2
        os.dup2(os.open(os.devnull, os.O_WRONLY), log.fileno())  # what is left in the buffer has to go


def test_what_was_started_first_is_stopped_when_all_others_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Redis is, which they need until then."""
    monkeypatch.setattr("lesubscribe.supervisor.SECONDS_TO_STOP_A_STAGE", 300)
    ended, log = tmp_path / "ended", StringIO()

    def stage(name: str, *, takes: float, is_last: bool = False) -> Stage:
        script = f"trap 'sleep {takes}; echo {name} >> {ended}; exit' TERM; echo {name} runs"

        async def until_it_runs() -> None:
            while f"{name} runs" not in log.getvalue():
                await asyncio.sleep(0.02)
            if is_last:
                os.kill(os.getpid(), signal.SIGTERM)

        command = ["sh", "-c", f"{script}; while :; do sleep 0.02; done"]
        return Stage([Service(name, command, "red")], until_it_runs)

    stages = [stage("store", takes=0), stage("user", takes=0.5, is_last=True)]
    asyncio.run(asyncio.wait_for(Supervisor(stages, Console(file=log)).run(), timeout=600))
    assert ended.read_text().split() == ["user", "store"]


def test_one_that_is_started_while_all_are_stopped_is_asked_to_end_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lesubscribe.supervisor.SECONDS_TO_STOP_A_STAGE", 300)
    start, started = asyncio.create_subprocess_exec, []

    async def start_late(*command: str, **options: Any) -> asyncio.subprocess.Process:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.1)  # it is stopped meanwhile
        started.append(await start(*command, **options))
        return started[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_late)
    stage = Stage([Service("sleeper", ["sleep", "600"], "red")], partial(asyncio.sleep, 600))
    asyncio.run(asyncio.wait_for(Supervisor([stage], Console(file=StringIO())).run(), timeout=600))
    assert [process.returncode for process in started] == [-signal.SIGTERM]
