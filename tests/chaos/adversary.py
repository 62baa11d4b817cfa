"""The adversary: kills processes and empties Redis at random moments, but makes its kills count.

A kill in an idle moment proves little. So the victim is stopped first; if it then holds work it is killed,
else it may go on, and is tried again a moment later. Held means for a worker a lease of its own on an event,
for the web process a request that waits for its answer.
"""

import shutil
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random

import psutil
import redis

from lesubscribe import embedded_redis
from tests.chaos.client import Traffic
from tests.chaos.records import BusyError, Lease, Records
from tests.running_system import RunningSystem

# How likely each strike is.
WEIGHTS = {"worker child": 4.0, "worker": 1.5, "web": 1.5, "maintenance": 0.5, "flush": 1.5, "redis": 0.4}
SECONDS_TO_HIT = 10.0
# Not too eager: who always strikes at the first lease of a new worker hits the same event again and again.
LONGEST_PAUSE_BETWEEN_TRIES = 0.5
WEB = ("uvicorn",)
MATCH, MAINTENANCE = ("celery", "worker", "-Q match"), ("celery", "worker", "-Q maintenance")
REDIS = ("redis-server",)


class Adversary:
    """`hits` counts the strikes that took effect, by name."""

    def __init__(self, system: RunningSystem, records: Records, traffic: Traffic, random: Random) -> None:
        self._system = system
        self._records = records
        self._traffic = traffic
        self._random = random
        self._orphaned: frozenset[Lease] = frozenset()
        self.log: list[tuple[float, str]] = []  # when each of them hit
        self.hits: Counter[str] = Counter()
        self.misses = 0
        self._strikes: dict[str, Callable[[], bool]] = {
            "worker child": self._kill_child,
            "worker": self._kill_worker,
            "web": self._kill_web,
            "maintenance": self._kill_maintenance,
            "flush": self._flush,
            "redis": self._kill_redis,
        }

    @property
    def lease_kills(self) -> int:
        return self.hits["worker child"] + self.hits["worker"]

    def strike(self, *, most_kills: int | None = None, most_flushes: int | None = None) -> None:
        """Something at random, but no more of a kind than asked for; gives up if there is nothing to hit."""
        weights = dict(WEIGHTS)
        if most_kills is not None and self.lease_kills >= most_kills:
            del weights["worker child"], weights["worker"]
        if most_flushes is not None and self.hits["flush"] >= most_flushes:
            del weights["flush"]
        (name,) = self._random.choices(list(weights), list(weights.values()))
        if self._hit(name):
            self.hits[name] += 1
            self.log.append((time.monotonic(), name))
        else:
            self.misses += 1

    def _hit(self, name: str) -> bool:
        deadline = time.monotonic() + SECONDS_TO_HIT
        while time.monotonic() < deadline:
            with suppress(psutil.Error, redis.RedisError, BusyError):  # it is down, or gone meanwhile
                if self._strikes[name]():
                    return True
            time.sleep(self._random.uniform(0, LONGEST_PAUSE_BETWEEN_TRIES))
        return False

    def _kill_child(self) -> bool:
        return any(
            self._kill_if_it_holds_a_lease(child, child, shard_of(worker))
            for worker in self._workers()
            for child in pool(worker)
        )

    def _kill_worker(self) -> bool:
        """The parent dies; the kernel takes its child along."""
        return any(
            self._kill_if_it_holds_a_lease(child, worker, shard_of(worker))
            for worker in self._workers()
            for child in pool(worker)
        )

    def _kill_web(self) -> bool:
        web = self._system.service(*WEB)
        return web is not None and kill_stopped(web, web, lambda: self._traffic.in_flight > 0)

    def _kill_maintenance(self) -> bool:
        worker = self._system.service(*MAINTENANCE)
        if worker is not None:
            worker.kill()
        return worker is not None

    def _flush(self) -> bool:
        with self._redis() as client:
            return bool(client.flushall())

    def _kill_redis(self) -> bool:
        """And its files are gone, as with a lost disk."""
        server = self._system.service(*REDIS)
        if server is None:
            return False
        server.suspend()
        for path in (self._system.var / "redis").glob("appendonly*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        server.kill()
        return True

    def _workers(self) -> list[psutil.Process]:
        """Those that match, one for each shard, in any order."""
        workers = self._system.services(*MATCH)
        return self._random.sample(workers, len(workers))

    def _kill_if_it_holds_a_lease(self, child: psutil.Process, victim: psutil.Process, shard: int) -> bool:
        if not kill_stopped(child, victim, lambda: bool(self._records.leases(shard) - self._orphaned)):
            return False
        # Nobody holds these any more, though they have not run out; a lease taken anew ends at another time.
        self._orphaned |= self._records.leases(shard)
        return True

    def _redis(self) -> redis.Redis:
        return redis.Redis(
            unix_socket_path=str(embedded_redis.socket_path(self._system.var)), socket_timeout=5
        )


def shard_of(worker: psutil.Process) -> int:
    """That of its queue: `match`, or `match-1`."""
    words = worker.cmdline()
    _, _, number = words[words.index("-Q") + 1].partition("-")
    return int(number or 0)


def pool(worker: psutil.Process) -> list[psutil.Process]:
    """Its processes that do the work."""
    return [child for child in worker.children() if "celery" in " ".join(child.cmdline())]


def kill_stopped(stopped: psutil.Process, victim: psutil.Process, holds_work: Callable[[], bool]) -> bool:
    """Stop a process, look, and kill the victim if work is held; else it goes on as if nothing had been."""
    stopped.suspend()
    hit = False
    try:
        _wait_until_stopped(stopped)
        hit = holds_work()
    finally:
        if hit:
            victim.kill()
        else:
            stopped.resume()
    if hit:
        psutil.wait_procs([stopped], timeout=5)
    return hit


def _wait_until_stopped(process: psutil.Process) -> None:
    deadline = time.monotonic() + 1
    while process.status() != psutil.STATUS_STOPPED and time.monotonic() < deadline:
        time.sleep(0.001)
