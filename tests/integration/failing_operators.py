"""Operators that tests install for themselves: one of them always fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import NoReturn

import pytest

from matching.operators import of_process, plugins
from matching.operators.declaring import operator
from matching.operators.plugins import Found


@operator("broken(material: string, ?count: number)", isolated=False)
def broken(materials: tuple[str, ...]) -> NoReturn:
    """How many are broken."""
    raise LookupError("its table is gone")


@contextmanager
def installed_broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`broken` beside those that are there anyway, and a plug-in that cannot be used."""
    ours = plugins.installed()
    left_out = "The operator at elsewhere:odd is left out: it is odd."
    found = Found(MappingProxyType({**ours.operators, "broken": broken}), (left_out,))
    with monkeypatch.context() as patched:
        patched.setattr(plugins, "installed", lambda: found)
        of_process.evaluator.cache_clear()
        yield
    of_process.evaluator.cache_clear()
