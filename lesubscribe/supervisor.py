"""Runs several services as one: starts them, names their log lines, restarts what dies, stops all together.

Each service is in a process group of its own, so that a terminal's Ctrl-C reaches only the supervisor,
which then stops them in order: the last started is stopped first, and Redis, started first, goes last.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rich.console import Console
from rich.text import Text

from lesubscribe.processes import die_with_parent

SECONDS_TO_STOP_A_STAGE = 5.0
LONGEST_PAUSE = 10.0
STEADY_AFTER_SECONDS = 30.0
LONGEST_LOG_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class Service:
    name: str
    command: Sequence[str]
    colour: str


@dataclass(frozen=True, slots=True)
class Stage:
    """Services started together once the stage before is ready, and stopped together before it stops."""

    services: Sequence[Service]
    ready: Callable[[], Awaitable[None]]


class Supervisor:
    def __init__(self, stages: Sequence[Stage], console: Console) -> None:
        self._stages = stages
        self._console = console
        self._width = max(len(service.name) for stage in stages for service in stage.services)
        self._stopping = asyncio.Event()
        self._processes: dict[str, asyncio.subprocess.Process] = {}

    async def run(self) -> None:
        """Start stage after stage, keep all running until a signal comes, then stop in reverse order."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_signal)
        started: list[tuple[Stage, list[asyncio.Task[None]]]] = []
        try:
            for stage in self._stages:
                started.append(
                    (stage, [asyncio.create_task(self._keep_running(one)) for one in stage.services])
                )
                await self._until_stopping(stage.ready())
            await self._stopping.wait()
        finally:
            self._stopping.set()
            for stage, tasks in reversed(started):
                await self._stop(stage, tasks)

    def say(self, sentence: str, *, style: str = "bold") -> None:
        self._print(Text(sentence, style))

    def _on_signal(self) -> None:
        if self._stopping.is_set():
            self.say("Asked again: killing what is left.", style="bold red")
            for service in list(self._processes):
                self._signal(service, signal.SIGKILL)
            return
        self._stopping.set()
        self.say("Stopping ...")

    async def _until_stopping(self, waiting: Awaitable[None]) -> None:
        """Wait, but no longer than until a signal comes."""
        task = asyncio.ensure_future(waiting)
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if task.done():
            task.result()
        else:
            task.cancel()

    async def _keep_running(self, service: Service) -> None:
        pause = 0.2
        while not self._stopping.is_set():
            began = time.monotonic()
            how_it_ended = await self._run_once(service)
            if self._stopping.is_set():
                return
            if time.monotonic() - began > STEADY_AFTER_SECONDS:
                pause = 0.2
            self.say(f"{service.name} {how_it_ended}; starting it again in {pause:g} s.", style="bold red")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _run_once(self, service: Service) -> str:
        try:
            process = await asyncio.create_subprocess_exec(
                *service.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                limit=LONGEST_LOG_LINE,
                process_group=0,
                preexec_fn=partial(die_with_parent, signal.SIGTERM),
            )
        except OSError as error:
            return f"did not start ({error.strerror})"
        self._processes[service.name] = process
        if self._stopping.is_set():  # whoever stops its stage has not seen it
            self._signal(service.name, signal.SIGTERM, group=False)
        try:
            await self._pass_on_lines(service, process)
            code = await process.wait()
        finally:
            # What is left of its group (a killed worker's children) must not live on beside its successor.
            self._signal(service.name, signal.SIGKILL)
            del self._processes[service.name]
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    async def _pass_on_lines(self, service: Service, process: asyncio.subprocess.Process) -> None:
        """Until the service itself ends; its orphans may hold the pipe open for longer."""
        assert process.stdout is not None
        ended = asyncio.create_task(process.wait())
        while True:
            line = asyncio.create_task(process.stdout.readline())
            await asyncio.wait([line, ended], return_when=asyncio.FIRST_COMPLETED)
            if not line.done():
                line.cancel()
                return
            try:
                content = line.result()
            except ValueError:
                self._print_line(service, f"(a line over {LONGEST_LOG_LINE} bytes was left out)")
                continue
            if not content:
                return
            if line_read := content.decode(errors="replace").rstrip():
                self._print_line(service, line_read)

    async def _stop(self, stage: Stage, tasks: list[asyncio.Task[None]]) -> None:
        for service in stage.services:
            self._signal(service.name, signal.SIGTERM, group=False)
        _, slow = await asyncio.wait(tasks, timeout=SECONDS_TO_STOP_A_STAGE)
        if slow:
            for service in stage.services:
                self._signal(service.name, signal.SIGKILL)
            await asyncio.wait(slow)

    def _signal(self, name: str, number: signal.Signals, *, group: bool = True) -> None:
        process = self._processes.get(name)
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number) if group else os.kill(process.pid, number)

    def _print_line(self, service: Service, line: str) -> None:
        self._print(Text.assemble((f"{service.name:>{self._width}} | ", service.colour), line))

    def _print(self, text: Text) -> None:
        try:
            self._console.print(text, soft_wrap=True)
        except BrokenPipeError:  # whoever read our output has gone: nobody will press Ctrl-C
            self._stopping.set()
        except OSError:
            pass  # the disk of the log is full, say: what is said is lost, but nobody is to die of it
