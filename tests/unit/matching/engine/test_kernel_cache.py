"""Compiled kernels are kept apart for each state of the code that they are made of."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from matching.engine import kernel_cache

KERNELS = """
from numba import njit
from matching.engine.layout import PLACE
from matching.engine import (
    words,
)
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    package = tmp_path / "package"
    package.mkdir()
    (package / "kernels.py").write_text(KERNELS)
    (package / "layout.py").write_text("PLACE = 1\n")
    (package / "words.py").write_text("WORDS = 1\n")
    (package / "engine.py").write_text("from matching.engine import kernels\n")
    return package


def test_they_are_beside_the_code(code: Path, tmp_path: Path) -> None:
    found = kernel_cache.directory(code, others=tmp_path)
    assert found is not None
    assert found.parent == code / "__pycache__"


@pytest.mark.parametrize("changed", ["kernels", "layout", "words"])
def test_a_change_of_what_they_are_made_of_gives_them_another_place(code: Path, changed: str) -> None:
    before = kernel_cache.directory(code, others=None)
    with open(code / f"{changed}.py", "a") as file:
        file.write("MORE = 2\n")
    assert kernel_cache.directory(code, others=None) != before


def test_a_change_of_something_else_does_not(code: Path) -> None:
    before = kernel_cache.directory(code, others=None)
    (code / "engine.py").write_text("")
    assert kernel_cache.directory(code, others=None) == before


def test_where_the_code_may_not_be_written_they_are_at_the_users(code: Path, tmp_path: Path) -> None:
    (code / "__pycache__").touch()  # no directory, so nothing can be written there, not even by root
    found = kernel_cache.directory(code, others=tmp_path / "cache")
    assert found is not None
    assert found.parent == tmp_path / "cache" / "lesubscribe"
    assert kernel_cache.directory(code, others=None) is None


@pytest.mark.parametrize(("named", "expected"), [(None, "kernels-"), ("mine", "mine")])
def test_every_program_that_imports_the_engine_keeps_them_there(named: str | None, expected: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    if named:
        environment["NUMBA_CACHE_DIR"] = named
    printed = "import matching.engine, numba; print(numba.config.CACHE_DIR)"
    command = [sys.executable, "-c", printed]
    assert expected in subprocess.check_output(command, env=environment, text=True)


@pytest.fixture
def small_engine(tmp_path: Path) -> Path:
    """The root of a copy that has one kernel."""
    package = tmp_path / "here" / "matching" / "engine"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    shutil.copy(kernel_cache.__file__, package)
    (package / "__init__.py").write_text("from matching.engine import kernel_cache\nkernel_cache.choose()\n")
    (package / "kernels.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef twice(number):\n    return 2 * number\n"
    )
    return tmp_path / "here"


def using_it(root: Path) -> "subprocess.Popen[str]":
    """A process that uses the kernel, and says how many it found in the cache."""
    run = """
from matching.engine import kernel_cache
from matching.engine.kernels import twice
print("begun", flush=True)
with kernel_cache.compiled_once():
    twice(1)
print(sum(twice.stats.cache_hits.values()))
"""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    command = [sys.executable, "-c", run]
    process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def hits(process: "subprocess.Popen[str]") -> int:
    return int(process.communicate(timeout=600)[0])


def test_they_go_with_the_code_to_another_place(small_engine: Path) -> None:
    assert hits(using_it(small_engine)) == 0
    there = small_engine.rename(small_engine.parent / "there")
    os.utime(there / "matching" / "engine" / "kernels.py", (0, 0))  # as an archive may not keep it
    assert hits(using_it(there)) == 1


def test_processes_that_begin_together_compile_once(small_engine: Path) -> None:
    place = kernel_cache.directory(small_engine / "matching" / "engine", others=None)
    assert place is not None
    place.mkdir(parents=True)
    with open(place / kernel_cache.LOCK, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as if somebody were at it, so that all are there when it ends
        together = [using_it(small_engine) for _ in range(3)]
    assert sorted(map(hits, together)) == [0, 1, 1]
    with open(place / kernel_cache.LOCK, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert hits(using_it(small_engine)) == 1, "once they are there nobody waits"
