"""Strikes at processes, which are made to count, and at Redis.

A kill in an idle moment proves little. So the victim is stopped first; if it then holds work it is killed,
else it may go on, and is tried again a moment later. Held means for a worker a lease of its own, on an event
or a message, and for the web process a request that waits for its answer.
"""

import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from random import Random

import psutil
import redis

from lesubscribe import embedded_redis
from tests.chaos.client import Traffic
from tests.chaos.records import BusyError, DeliveryLease, Lease, Records
from tests.running_system import RunningSystem

WEB = ("uvicorn",)
MATCH, MAINTENANCE = ("celery", "worker", "-Q match"), ("celery", "worker", "-Q maintenance")
PLAN, DELIVER = ("celery", "worker", "-Q plan"), ("celery", "worker", "-Q deliver")
BEAT = ("celery", "beat")
REDIS = ("redis-server",)
SECONDS_TO_STOP, SECONDS_TO_DIE = 30.0, 60.0  # where the disk is busy, both wait for it
SECONDS_TO_ANSWER = 30.0  # by then all leases that were held have run out
# Once more would be the fourth try of an event, and after five it is parked, as promised.
MOST_HITS_OF_AN_EVENT = 3


class Kills:
    """Each answers whether it hit."""

    def __init__(self, system: RunningSystem, records: Records, traffic: Traffic, random: Random) -> None:
        self._system = system
        self._records = records
        self._traffic = traffic
        self._random = random
        self._orphaned: frozenset[Lease] = frozenset()
        self._orphaned_messages: frozenset[DeliveryLease] = frozenset()
        self._orphaned_plans: frozenset[Lease] = frozenset()

    def strikes(self) -> dict[str, Callable[[], bool]]:
        return {
            "worker child": self._kill_child,
            "worker": self._kill_worker,
            "web": self._kill_web,
            "maintenance": lambda: self._kill(MAINTENANCE),
            "planner": self._kill_planner,
            "sender": self._kill_sender,
            "scheduler": lambda: self._kill(BEAT),
            "flush": self._flush,
            "redis": self._kill_redis,
        }

    def disowning(self, strikes: Mapping[str, Callable[[], bool]]) -> dict[str, Callable[[], bool]]:
        """The same; what is leased after such a strike may be nobody's: who took it lives, and failed."""
        return {name: partial(self._disown_after, strike) for name, strike in strikes.items()}

    def _disown_after(self, strike: Callable[[], bool]) -> bool:
        """Looks until the database answers: what is not known to be nobody's would count as held."""
        hit = strike()
        deadline = time.monotonic() + SECONDS_TO_ANSWER
        while time.monotonic() < deadline:
            with suppress(BusyError):
                self._orphaned |= self._records.leases()
                self._orphaned_messages |= self._records.delivery_leases()
                self._orphaned_plans |= self._records.plan_leases()
                break
            time.sleep(0.1)
        return hit

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

    def _kill_planner(self) -> bool:
        """Only if it plans something."""
        worker = self._system.service(*PLAN)
        return worker is not None and kill_stopped(worker, worker, self._is_planning)

    def _is_planning(self) -> bool:
        held = self._records.plan_leases() - self._orphaned_plans
        self._orphaned_plans |= held
        return bool(held)

    def _kill_sender(self) -> bool:
        """Only if messages are under way."""
        worker = self._system.service(*DELIVER)
        return worker is not None and kill_stopped(worker, worker, self._is_sending)

    def _is_sending(self) -> bool:
        """Leases of its own: those of senders that were killed before have not all run out yet."""
        held = self._records.delivery_leases() - self._orphaned_messages
        self._orphaned_messages |= held
        return bool(held)

    def _kill(self, words: tuple[str, ...]) -> bool:
        """Whatever it does just now."""
        process = self._system.service(*words)
        if process is not None:
            process.kill()
        return process is not None

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
        return kill_stopped(child, victim, lambda: self._may_be_hit(shard))

    def _may_be_hit(self, shard: int) -> bool:
        held = self._records.leases(shard) - self._orphaned
        if not held or any(lease.attempts > MOST_HITS_OF_AN_EVENT for lease in held):
            return False
        # Soon nobody holds these, though they have not run out; a lease taken anew ends at another time.
        self._orphaned |= held
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
        hit = _is_stopped(stopped) and holds_work()
    finally:
        if hit:
            victim.kill()
        else:
            stopped.resume()
    if hit:
        psutil.wait_procs([stopped], timeout=SECONDS_TO_DIE)
    return hit


def _is_stopped(process: psutil.Process) -> bool:
    """Soon; whether it is."""
    deadline = time.monotonic() + SECONDS_TO_STOP
    while process.status() != psutil.STATUS_STOPPED:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True
