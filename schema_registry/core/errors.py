"""What a person, a publisher or an administrator may be told about their input.

Every error here is about something that was handed in, and its message is one sentence for whoever
handed it in. Anything else that is raised by the pure packages is a fault of ours.
"""

# ruff: noqa: N818 - the names say what happened, as the project's contracts spell them

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from schema_registry.core.sentences import gettext as _


class InputError(ValueError):
    """The base of all refusals: what came in cannot be used, and the message says why."""


class InvalidJson(InputError):
    """The bytes are not the JSON we accept. Where the text itself is wrong, `line` and `column` say where."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class SchemaError(InputError):
    """A definition is malformed: wrong type, cycle, duplicate, over a cap."""


class SchemaConflict(SchemaError):
    """The change does not fit the schema as it stands: a name is taken, or a meaning would change."""


class UnknownName(SchemaConflict):
    """The change, or the view, refers to a name that the schema does not have."""


class OutsideDomain(InputError):
    """A value does not lie in its domain. `suggestion` is a value that does, if one is near.

    `fault` is a name for what is wrong, the same in every language.
    """

    def __init__(self, message: str, suggestion: str | None = None, *, fault: str = "outside_domain") -> None:
        super().__init__(message)
        self.suggestion = suggestion
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which an event breaks rule R1, R2 or R3.

    `fault` is a name for it, the same in every language and for every value: what alike ones are counted by.
    """

    rule: Literal["R1", "R2", "R3"]
    attribute: str
    message: str
    suggestion: str | None = None
    fault: str = field(default="", compare=False)


class InvalidEvent(InputError):
    """The event breaks at least one rule; `errors` lists all the violations."""

    def __init__(self, errors: Sequence[Violation]) -> None:
        super().__init__(errors)
        self.errors = list(errors)

    def __str__(self) -> str:
        return " ".join(error.message for error in self.errors)


class SubscriptionError(InputError):
    """A subscription cannot be read or can never match.

    `line` and `column` count from 1; `expected` lists what could have stood there, in words;
    `suggestion` is a text to put in place of the `length` characters that are wrong.
    """

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        line: int = 1,
        column: int = 1,
        length: int = 1,
        expected: Sequence[str] = (),
        suggestion: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.line = line
        self.column = column
        self.length = length
        self.expected = tuple(expected)
        self.suggestion = suggestion

    def pretty(self, width: int = 100) -> str:
        """The place, the sentence, and the line with carets under what is wrong."""
        lines = self.text.split("\n")
        source = lines[self.line - 1] if self.line <= len(lines) else ""
        start = max(0, self.column - 1 - width // 2)
        shown = source[start : start + width].replace("\t", " ").replace("\r", " ")
        offset = self.column - 1 - start
        carets = "^" * max(1, min(self.length, len(shown) - offset))
        place = _("line {line}, column {column}", line=self.line, column=self.column)
        return f"{place}: {self.message}\n  {shown}\n  {' ' * offset}{carets}"
