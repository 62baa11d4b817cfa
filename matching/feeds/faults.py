"""Reading a document from outside part by part: what is wrong is noted with its path, and reading goes on.

A reader that finds a fault gives a harmless value back; whoever reads looks at the faults at the end.
"""

from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from schema_registry.core.errors import InputError
from schema_registry.core.nearest import nearest
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import did_you_mean, said_of, shown


class InvalidMapping(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """`faults` are the paths in the document and what is wrong at each."""

    code = "invalid_mapping"

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(" ".join(said_of(path, fault) if path else fault for path, fault in faults.items()))
        self.faults = dict(faults)


class Part:
    """An object inside the document, at its path. All parts of a document note their faults together."""

    def __init__(self, raw: object, path: str, faults: dict[str, str]) -> None:
        self.path = path
        self.faults = faults
        self.raw: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
        if not isinstance(raw, dict):
            self.note("", _("This must be an object; {value} is not.", value=shown(raw)))

    def note(self, name: str, fault: str) -> None:
        self.faults.setdefault(self.at(name), fault)

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path and name else self.path or name

    def has(self, name: str) -> bool:
        return self.raw.get(name) is not None

    def only(self, known: Collection[str]) -> None:
        """Notes what has another name than these."""
        for name in self.raw:
            if name not in known:
                message = _(
                    "There is no {name} here; there are {known}.", name=shown(name), known=", ".join(known)
                )
                self.note(str(name), message + did_you_mean(nearest(str(name), known)))

    def part(self, name: str) -> "Part":
        return Part(self.raw[name], self.at(name), self.faults)

    def parts(self, name: str) -> list["Part"]:
        """The objects of a list."""
        listed = self.raw.get(name, [])
        if not isinstance(listed, list):
            self.note(name, _("This must be a list of objects."))
            return []
        return [Part(each, f"{self.at(name)}[{number}]", self.faults) for number, each in enumerate(listed)]

    def text(self, name: str, default: str = "", *, blank: bool = False) -> str:
        """A string, which must not be blank unless it may be; the default where there is none."""
        if (raw := self.raw.get(name)) is None:
            return default
        if not isinstance(raw, str) or not (blank or raw.strip()):
            self.note(name, _("This must be a string that is not blank; {value} is not.", value=shown(raw)))
            return default
        return raw

    def required(self, name: str) -> str:
        if not self.has(name):
            self.note(name, _("This is required."))
        return self.text(name)

    def texts(self, name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Strings: a list of them, or a single one by itself."""
        raw = self.raw.get(name, default)
        listed = (raw,) if isinstance(raw, str) else raw
        if (
            not isinstance(listed, list | tuple)
            or not all(isinstance(each, str) and each for each in listed)
            or (name in self.raw and not listed)
        ):
            self.note(name, _("This must be a string, or a list of strings that has at least one."))
            return default
        return tuple(listed)

    def choice(self, name: str, options: Collection[str], default: str) -> str:
        raw = self.raw.get(name, default)
        if not isinstance(raw, str) or raw not in options:
            near = nearest(raw, options) if isinstance(raw, str) else None
            message = _(
                "This must be one of {options}; {value} is not.", options=", ".join(options), value=shown(raw)
            )
            self.note(name, message + did_you_mean(near))
            return default
        return raw

    def flag(self, name: str) -> bool:
        raw = self.raw.get(name, False)
        if not isinstance(raw, bool):
            self.note(name, _("This must be true or false; {value} is not.", value=shown(raw)))
        return raw is True

    def positive(self, name: str) -> Decimal:
        """A decimal above zero, given as a number or as a string."""
        raw = self.raw.get(name)
        try:
            if isinstance(raw, bool) or not isinstance(raw, int | float | str | Decimal):
                raise InvalidOperation
            number = Decimal(str(raw))
            if not (number.is_finite() and 0 < number < Decimal("1e12") and number.adjusted() > -12):
                raise InvalidOperation
        except InvalidOperation:
            self.note(name, _("This must be a number above zero; {value} is not.", value=shown(raw)))
            return Decimal(1)
        return number
