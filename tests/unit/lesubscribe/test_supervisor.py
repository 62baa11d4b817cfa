"""The supervisor keeps its services running whatever becomes of what they say."""

import asyncio
import os
import signal
from pathlib import Path

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
