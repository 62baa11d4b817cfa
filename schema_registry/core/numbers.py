"""Numbers as who reads them writes them: 1,250.5 in English, 1 250,5 in French.

Only what people read goes through here. Forms, addresses, JSON and the subscription language have plain
numbers, which mean the same to everybody. Sentences with `{count:,}` in them come here by themselves.
"""

from collections.abc import Callable
from string import Formatter
from typing import Any, NamedTuple


class Separators(NamedTuple):
    thousands: str = ","
    decimal: str = "."


_separators: Callable[[], Separators] = Separators


def separate_by(separators: Callable[[], Separators]) -> None:
    """From now on, in the whole process. Who starts us calls it once; the function knows the language."""
    global _separators
    _separators = separators


def grouped(value: Any, form: str = ",") -> str:
    """A number, formatted as `format` does it in English, with the separators of the language."""
    return separated(format(value, form))


def separated(figures: str) -> str:
    """Figures as English has them, with the separators of the language. They must have no unit yet."""
    ours = _separators()
    return figures.translate({ord(","): ours.thousands, ord("."): ours.decimal})


class NumberFormatter(Formatter):
    """`str.format`, but what is formatted as a number has the separators of the language."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if format_spec and isinstance(value, int | float):
            return grouped(value, format_spec)
        return super().format_field(value, format_spec)
