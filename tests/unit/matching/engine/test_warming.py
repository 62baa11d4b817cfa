"""The kernels are there before the first event, and whoever waits for their compilation is told so."""

from numba import njit

from matching.engine.warming import telling_of_compiling, warm


def test_it_is_told_once_that_something_is_compiled() -> None:
    told: list[str] = []
    with telling_of_compiling(lambda: told.append("compiling")):
        for value in (1, 1.5):
            njit(lambda x: x + 1)(value)
    assert told == ["compiling"]


def test_what_was_compiled_is_not_compiled_again() -> None:
    warm(on_compiling=lambda: None)
    told: list[str] = []
    warm(on_compiling=lambda: told.append("compiling"))
    assert told == []
