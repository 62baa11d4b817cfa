"""The failpoints that the sources name."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.running_system import ROOT

SOURCES = ("schema_registry", "matching", "notifications", "lesubscribe", "spark_jobs")


def sources() -> Iterator[tuple[Path, str]]:
    """All modules, by their path from the root, each with its text."""
    for package in SOURCES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT), path.read_text()


def named() -> list[str]:
    """All places, as often as they are named, in the order of the sources."""
    with_some = (text for _path, text in sources() if "failpoints" in text)  # parsing all takes seconds
    return [place for text in with_some for place in _of(ast.parse(text))]


def _of(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name("failpoints"), attr=how), args=[ast.Constant(str(name)), *_]
            ):
                yield from _meant(how, name)
            case ast.Call(
                func=ast.Name("partial"),
                args=[ast.Attribute(value=ast.Name("failpoints"), attr=how), ast.Constant(str(name))],
            ):
                yield from _meant(how, name)


def _meant(how: str, name: str) -> tuple[str, ...]:
    return (f"{name}.before-commit", f"{name}.after-commit") if how == "at_commit" else (name,)
