"""Operators that go wrong in every way we could think of, where processes can import them."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from matching.operators.declaring import operator
from schema_registry.core.operators import OperatorDeclaration

patient = partial(operator, time_limit=600)  # so that a busy machine is no fault

ANSWERS: tuple[Any, ...] = (
    *(True, False, None, 1, 0, "yes", object(), 3.5),
    *([], (), set(), {}, [(1,)], ((1.5,),), {(1,), (2,)}, frozenset({(1,)}), {"km": 1}, [[7]], iter([(1,)])),
    *([1], ["1"], [()], [(1, 2)], [{1}], [("one",)], [(None,)], [(True,)], [(object(),)], [b"1"]),
    *(
        [(float("nan"),)],
        [(float("inf"),)],
        [(10**400,)],
        [(-0.0,)],
        [(Decimal("1.5"),)],
        [(Fraction(1, 4),)],
    ),
    *([(Decimal("sNaN"),)], [(1,), (1.0,)], [(2,), (1,)], [(i,) for i in range(1_001)], [("\ud800",)]),
)


@patient("answers(which: number, ?x: number)")
def answers(which: float) -> Any:
    return ANSWERS[int(which)]


@patient("answers_two(title: string, ?x: number, ?y: any)")
def answers_two(titles: tuple[str, ...]) -> Any:
    return [(1, 1), (1, 2), (2, "2"), (len(titles), titles[0])]


@patient("process(?pid: number)")
def process() -> list[tuple[int]]:
    return [(os.getpid(),)]


@patient("raises(title: string)")
def raises(titles: tuple[str, ...]) -> NoReturn:
    raise FileNotFoundError(f"nothing is called {titles[0]}\n" * 100)


@patient("exits(title: string)")
def exits(titles: tuple[str, ...]) -> NoReturn:
    sys.exit("enough")


@patient("vanishes(title: string)")
def vanishes(titles: tuple[str, ...]) -> NoReturn:
    os._exit(3)


@patient("crashes(title: string)")
def crashes(titles: tuple[str, ...]) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


@patient("closes_everything(title: string)")
def closes_everything(titles: tuple[str, ...]) -> bool:
    os.closerange(0, 100)
    return True


@operator("waits(title: string, ?x: number)", time_limit=0.2)
def waits(titles: tuple[str, ...]) -> None:
    threading.Event().wait()


@operator("ignores_signals(title: string)", time_limit=0.2)
def ignores_signals(titles: tuple[str, ...]) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        signal.sigwait([signal.SIGTERM])


@operator("holds_the_lock(title: string)", time_limit=0.2)
def holds_the_lock(titles: tuple[str, ...]) -> None:
    sum(itertools.repeat(0))  # in C, so that no other thread of the interpreter ever runs


@operator("leaves_a_child(path: string)", time_limit=1.5)
def leaves_a_child(path: str) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"])
    Path(f"{path}.unfinished").write_text(str(child.pid))
    Path(f"{path}.unfinished").rename(path)
    threading.Event().wait()


@operator("waits_after_telling(path: string)", time_limit=3_600)
def waits_after_telling(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    threading.Event().wait()


_held: list[bytearray] = []


@operator("hoards(title: string)", time_limit=600)
def hoards(titles: tuple[str, ...]) -> None:
    while True:
        _held.append(bytearray(1 << 24))


@operator("hoards_if(greedy: number, ?held: number)", time_limit=600)
def hoards_if(greedy: float) -> list[tuple[int]]:
    while greedy:
        _held.append(bytearray(1 << 24))
    return [(len(_held),)]


@patient("overflows(title: string, ?x: string)")
def overflows(titles: tuple[str, ...]) -> list[tuple[str]]:
    return [("x" * (1 << 21),)]


@patient("chatters(title: string)")
def chatters(titles: tuple[str, ...]) -> bool:
    print("something", flush=True)
    os.write(1, b"\x00\x00\x00\x02{}")
    return sys.stdin.read() == ""


@patient("scribbles(title: string)")
def scribbles(titles: tuple[str, ...]) -> bool:
    for number in range(3, 30):
        with contextlib.suppress(OSError):
            os.write(number, b"\x00\x00\x00\x03{]}")
    return True


def _cannot() -> NoReturn:
    raise RuntimeError("the table is gone")


@patient("unprepared(title: string)", prepare=_cannot)
def unprepared(titles: tuple[str, ...]) -> bool:
    return True


def _never() -> None:
    threading.Event().wait()


@patient("never_ready(title: string)", prepare=_never)
def never_ready(titles: tuple[str, ...]) -> bool:
    return True


_prepared: list[bool] = []


def _prepare() -> None:
    _prepared.append(True)


@patient("prepared(?times: number)", prepare=_prepare)
def prepared() -> list[tuple[int]]:
    return [(len(_prepared),)]


FAULTS: tuple[tuple[OperatorDeclaration, str, str], ...] = (
    (raises, "raised", "FileNotFoundError: nothing is called"),
    (exits, "raised", "SystemExit: enough"),
    (vanishes, "ended", "ended with 3"),
    (crashes, "ended", "signal 11"),
    (closes_everything, "ended", "ended with"),
    (waits, "too slow", "longer than 0.2 s"),
    (ignores_signals, "too slow", "longer than 0.2 s"),
    (holds_the_lock, "too slow", "longer than 0.2 s"),
    (hoards, "raised", "MemoryError"),
    (overflows, "rubbish", "too much"),
    (scribbles, "rubbish", "channel"),
    (unprepared, "raised", "RuntimeError: the table is gone"),
)
