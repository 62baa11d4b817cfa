"""The five kinds of domain: which values they hold, how values compare, which operators apply.

A domain turns what an event carries (`event_value`) and what a subscription says (`constant`) into the
same canonical values, a float or a string, and compares those. A text domain is the exception: its
events are compared by their words (see `text`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

from schema_registry.core.decimals import number, number_for_json, number_text
from schema_registry.core.errors import OutsideDomain
from schema_registry.core.label_paths import LabelPaths
from schema_registry.core.nearest import nearest
from schema_registry.core.orders import Forest, PartialOrder
from schema_registry.core.sentences import gettext as _
from schema_registry.core.text import MAX_TEXT, nfc
from schema_registry.core.wording import did_you_mean, shown

Value = float | str

EQUALITY = ("=", "!=", "in")
ORDER = ("<", "<=", ">", ">=", "between")
ABOUT_THE_SET = ("contains", "exists")
OPERATORS = EQUALITY + ORDER + ABOUT_THE_SET

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Domain:
    """What all kinds share. `restricted_to` are the operators it was defined with, if it says so."""

    kind: ClassVar[str]
    totally_ordered: ClassVar[bool] = False
    restricted_to: tuple[str, ...] | None = field(default=None, kw_only=True)

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators a subscription may use on this domain, in the order of `OPERATORS`."""
        own = self.kind_operators()
        return own if self.restricted_to is None else tuple(op for op in own if op in self.restricted_to)

    def kind_operators(self) -> tuple[str, ...]:
        """The operators of the kind, whatever this domain is restricted to."""
        return OPERATORS

    def event_value(self, raw: object) -> Value:
        """The canonical value of what an event carries; raises OutsideDomain."""
        raise NotImplementedError

    def constant(self, text: str) -> Value:
        """The canonical value of what a subscription says; raises OutsideDomain."""
        raise NotImplementedError

    def nearest_to(self, raw: object) -> str | None:
        """What was probably meant by a value outside the domain; costs up to a few ms."""
        return None

    def text(self, value: Value) -> str:
        """The value as `constant` reads it back."""
        return str(value)

    def below(self, low: Value, high: Value) -> bool:
        """Whether `low` < `high`."""
        return low < high  # type: ignore[operator]

    def at_most(self, low: Value, high: Value) -> bool:
        """Whether `low` <= `high`."""
        return low == high or self.below(low, high)

    def definition(self) -> dict[str, Any]:
        """The definition as a fresh dict, the format of `Schema.to_dict`."""
        parts = {"kind": self.kind, **self._own_definition()}
        if self.restricted_to is not None:
            parts["operators"] = list(self.restricted_to)
        return {key: part for key, part in parts.items() if part is not None}

    def _own_definition(self) -> dict[str, Any]:
        return {}

    def same_meaning(self, other: "Domain") -> bool:
        """Whether the two definitions say the same, however they are written."""
        return (
            self.kind == other.kind
            and self._own_definition() == other._own_definition()
            and self.operators == other.operators
        )


@dataclass(frozen=True, slots=True, eq=False)
class NumericDomain(Domain):
    """Decimals of at most 15 significant digits, between `low` and `high` where given."""

    kind: ClassVar[str] = "numeric"
    totally_ordered: ClassVar[bool] = True
    low: float | None = None
    high: float | None = None
    unit: str | None = None

    def event_value(self, raw: object) -> Value:
        value = number(raw)
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            raise OutsideDomain(self._out_of_bounds(value), fault="out_of_bounds")
        return value

    def constant(self, text: str) -> Value:
        if not _NUMBER.fullmatch(text):
            raise OutsideDomain(_("{value} is not a number.", value=shown(text)))
        try:
            return self.event_value(Decimal(text))
        except InvalidOperation:
            raise OutsideDomain(_("{value} is too large or too close to zero.", value=shown(text))) from None

    def text(self, value: Value) -> str:
        assert isinstance(value, float)
        return number_text(value)

    def _out_of_bounds(self, value: float) -> str:
        low, high = (None if each is None else number_text(each) for each in (self.low, self.high))
        if high is None:
            return _("{value} is not at least {low}.", value=number_text(value), low=low)
        if low is None:
            return _("{value} is not at most {high}.", value=number_text(value), high=high)
        return _("{value} is not between {low} and {high}.", value=number_text(value), low=low, high=high)

    def _own_definition(self) -> dict[str, Any]:
        return {
            "min": None if self.low is None else number_for_json(self.low),
            "max": None if self.high is None else number_for_json(self.high),
            "unit": self.unit,
        }


@dataclass(frozen=True, slots=True, eq=False)
class StringDomain(Domain):
    """NFC strings, ordered by code point."""

    kind: ClassVar[str] = "string"
    totally_ordered: ClassVar[bool] = True

    def event_value(self, raw: object) -> Value:
        if not isinstance(raw, str):
            raise OutsideDomain(_("{value} is not a string.", value=shown(raw)), fault="not_a_string")
        return nfc(raw)

    def constant(self, text: str) -> Value:
        return nfc(text)


@dataclass(frozen=True, slots=True, eq=False)
class TextDomain(Domain):
    """Free text, compared by its words only; a value is kept as it was given."""

    kind: ClassVar[str] = "text"

    def kind_operators(self) -> tuple[str, ...]:
        return ABOUT_THE_SET

    def event_value(self, raw: object) -> Value:
        if not isinstance(raw, str):
            raise OutsideDomain(_("{value} is not a text.", value=shown(raw)), fault="not_a_string")
        return nfc(raw, MAX_TEXT)


@dataclass(frozen=True, slots=True, eq=False)
class FiniteDomain(Domain):
    """Identifiers, each with an optional label; what enumerated and hierarchical domains share."""

    labels: Mapping[str, str] | None = None
    by_label: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def identifiers(self) -> Mapping[str, object]:
        """The values in the order they were given, as the keys of a mapping."""
        raise NotImplementedError

    def event_value(self, raw: object) -> Value:
        if isinstance(raw, str):
            if raw in self.identifiers():
                return raw
            if not raw.isascii() and nfc(raw) in self.identifiers():
                return nfc(raw)
        raise OutsideDomain(_("{value} is not one of its values.", value=shown(raw)), fault="not_a_value")

    def nearest_to(self, raw: object) -> str | None:
        if not isinstance(raw, str):
            return None
        return nearest(raw, self.identifiers()) or nearest(raw, self.by_label)

    def constant(self, text: str) -> Value:
        name = nfc(text)
        if name in self.identifiers():
            return name
        found = self.named(name)
        if len(found) == 1:
            return found[0]
        if not found:
            suggestion = self.nearest_to(name)
            message = _("{value} is not one of its values.", value=shown(name))
            raise OutsideDomain(message + did_you_mean(suggestion), suggestion)
        listed = ", ".join(f"'{value}' ({self.path(value)})" for value in found[:5])
        if len(found) > 5:
            listed = _("{values} and {rest} more", values=listed, rest=len(found) - 5)
        message = _(
            "{name} can mean {count} values: {values}.", name=shown(name), count=len(found), values=listed
        )
        raise OutsideDomain(f"{message} {_('Write the identifier.')}", found[0])

    def named(self, text: str) -> tuple[str, ...]:
        """The values with this label; none when there is no such label."""
        return self.by_label.get(text, ())

    def label(self, value: str) -> str:
        """What people read for this value."""
        return self.labels.get(value, value) if self.labels else value

    def path(self, value: str) -> str:
        """Where the value stands, in labels."""
        return self.label(value)

    def above(self, value: str) -> tuple[str, ...]:
        """All values strictly above this one: what a matcher expands an event's value to."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class EnumeratedDomain(FiniteDomain):
    """A finite list; `pairs` (lower, higher), where given, make it a partial order."""

    kind: ClassVar[str] = "enumerated"
    members: Mapping[str, None] = field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] | None = None
    order: PartialOrder = field(default_factory=lambda: PartialOrder(()))

    def kind_operators(self) -> tuple[str, ...]:
        return OPERATORS if self.order else EQUALITY + ABOUT_THE_SET

    def identifiers(self) -> Mapping[str, object]:
        return self.members

    def below(self, low: Value, high: Value) -> bool:
        return self.order.below(str(low), str(high))

    def above(self, value: str) -> tuple[str, ...]:
        return self.order.above(value)

    def _own_definition(self) -> dict[str, Any]:
        return {
            "values": list(self.members),
            "order": None if self.pairs is None else [list(pair) for pair in self.pairs],
            "labels": None if self.labels is None else dict(self.labels),
        }

    def same_meaning(self, other: Domain) -> bool:
        return (
            isinstance(other, EnumeratedDomain)
            and self.members.keys() == other.members.keys()
            and (self.labels or {}) == (other.labels or {})
            and self.operators == other.operators
            and self.order.disagreement(other.order, self.members) is None
        )


@dataclass(frozen=True, slots=True, eq=False)
class HierarchicalDomain(FiniteDomain):
    """A forest of identifiers: `<=` is "is a kind of"."""

    kind: ClassVar[str] = "hierarchical"
    forest: Forest = field(default_factory=lambda: Forest({}))
    paths: LabelPaths = field(default_factory=lambda: LabelPaths({}, {}, {}), repr=False)

    def identifiers(self) -> Mapping[str, object]:
        return self.forest.parents

    def below(self, low: Value, high: Value) -> bool:
        return self.forest.below(str(low), str(high))

    def above(self, value: str) -> tuple[str, ...]:
        return self.forest.above(value)

    def path(self, value: str) -> str:
        """Labels from the root down, the upper ones left out where there are more than six."""
        steps = [self.label(step) for step in (value, *self.above(value))]
        return " > ".join([*(["..."] if len(steps) > 6 else []), *reversed(steps[:6])])

    def named(self, text: str) -> tuple[str, ...]:
        """The values with this label, or else at the end of this path."""
        if ">" not in text or text in self.by_label:
            return self.by_label.get(text, ())
        return self.paths.ending([step.strip() for step in text.split(">")])

    def _own_definition(self) -> dict[str, Any]:
        return {
            "values": dict(self.forest.parents),
            "labels": None if self.labels is None else dict(self.labels),
        }

    def same_meaning(self, other: Domain) -> bool:
        return (
            isinstance(other, HierarchicalDomain)
            and self.forest.parents == other.forest.parents
            and (self.labels or {}) == (other.labels or {})
            and self.operators == other.operators
        )
