"""Compiled kernels are kept apart for each state of the code that they are made of."""

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


def test_they_go_with_the_code_to_another_place(tmp_path: Path) -> None:
    package = tmp_path / "here" / "matching" / "engine"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    shutil.copy(kernel_cache.__file__, package)
    (package / "__init__.py").write_text("from matching.engine import kernel_cache\nkernel_cache.choose()\n")
    (package / "kernels.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef twice(number):\n    return 2 * number\n"
    )
    run = "from matching.engine.kernels import twice; twice(1); print(sum(twice.stats.cache_hits.values()))"
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}

    def hits(place: str) -> str:
        command = [sys.executable, "-c", run]
        return subprocess.check_output(command, cwd=tmp_path / place, env=environment, text=True).strip()

    assert hits("here") == "0"
    (tmp_path / "here").rename(tmp_path / "there")
    assert hits("there") == "1"
