"""Events: what publishers send, checked against a view and brought to canonical values.

The rules of paper 002, section 2.1: R1, exactly the event types of the view; R2, values in their domains,
mandatory ones present, unique ones single; R3, nothing else. Checking costs O(values), and every
violation is reported at once (up to a cap).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schema_registry.core.decimals import number_for_json
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import TextDomain, Value
from schema_registry.core.errors import InvalidEvent, OutsideDomain, Violation
from schema_registry.core.event_views import AttributeRule, View
from schema_registry.core.nearest import nearest
from schema_registry.core.sentences import gettext as _
from schema_registry.core.text import folded, words_of_folded
from schema_registry.core.wording import did_you_mean, either, printable, said_of, shown

if TYPE_CHECKING:
    from schema_registry.core.schema import Schema

MAX_ATTRIBUTES = 500
MAX_VALUES = 1_000
MAX_EVENT_TYPES = 32
MAX_TEXT_OF_AN_EVENT = 100_000
_MAX_VIOLATIONS = 100
_MAX_SUGGESTIONS = 10  # looking for one takes up to some ms
_MAX_FAULTS_OF_AN_ATTRIBUTE = 5
_COLLECTIONS = (list, tuple, set, frozenset)


@dataclass(frozen=True, slots=True)
class Event:
    """A valid event. Treat its mappings as read-only.

    `values` gives each present attribute's distinct canonical values in ascending order, `event_type`
    included; for a text attribute these are its words, and there may be none. `texts` keeps the strings
    of text attributes. `schema` is the version that it was validated with.
    """

    values: Mapping[str, tuple[Value, ...]]
    texts: Mapping[str, tuple[str, ...]]
    schema: "Schema" = field(repr=False, compare=False)

    @property
    def schema_version(self) -> int:
        return self.schema.version

    @property
    def event_types(self) -> frozenset[str]:
        return frozenset(str(name) for name in self.values[EVENT_TYPE])

    def to_dict(self) -> dict[str, Any]:
        """A dict for JSON that validates to an equal event: single values bare, several in a list."""
        document: dict[str, Any] = {}
        for name, values in self.values.items():
            given = self.texts.get(name, values)
            plain = [number_for_json(value) if isinstance(value, float) else value for value in given]
            document[name] = plain[0] if len(plain) == 1 and name != EVENT_TYPE else plain
        return document


def validate(schema: "Schema", document: object, view: View | None) -> Event:
    """The event, or InvalidEvent with all violations. See `Schema.validate`."""
    if not isinstance(document, Mapping):
        message = _("An event is an object, not {value}.", value=shown(document))
        raise InvalidEvent([Violation("R1", EVENT_TYPE, message, fault="not_an_object")])
    if len(document) > MAX_ATTRIBUTES:
        message = _(
            "An event has at most {most} attributes; this one has {count:,}.",
            most=MAX_ATTRIBUTES,
            count=len(document),
        )
        raise InvalidEvent([Violation("R3", "", message, fault="too_many_attributes")])
    violations: list[Violation] = []
    types = _event_types(schema, document.get(EVENT_TYPE), view, violations)
    if view is None:
        view = schema.view(types) if types else _view_without_types(schema)
    values: dict[str, tuple[Value, ...]] = {EVENT_TYPE: tuple(sorted(types))}
    texts: dict[str, tuple[str, ...]] = {}
    refused = set()
    allowance = _TextAllowance()
    for name, raw in document.items():
        if raw is None or name == EVENT_TYPE or (not raw and isinstance(raw, _COLLECTIONS)):
            continue
        rule = view.rules.get(name)
        try:
            if rule is None:
                violations.append(_not_in_view(schema, name, view, len(violations)))
            elif isinstance(rule.domain, TextDomain):
                values[name], texts[name] = _read_text(rule, raw, allowance)
            else:
                values[name] = _read_values(rule, raw)
        except OutsideDomain as error:
            assert rule is not None
            refused.add(name)
            faults = list(_faults(name, rule, raw, len(violations)))
            violations += faults or [Violation("R2", name, said_of(name, error), fault=error.fault)]
    for name in view.mandatory:
        if name not in values and name not in refused:
            violations.append(Violation("R2", name, _missing(schema, name, view), fault="missing"))
    if violations:
        raise InvalidEvent(violations[:_MAX_VIOLATIONS])
    return Event(values, texts, schema)


def _event_types(
    schema: "Schema", raw: object, view: View | None, violations: list[Violation]
) -> frozenset[str]:
    """The event types that exist among those named; what breaks R1 is added to the violations."""
    named = raw if isinstance(raw, _COLLECTIONS) else () if raw is None else (raw,)
    domain = schema.domain_of[EVENT_TYPE]
    types = set()
    if not named:
        message = _("event_type is missing: name the event types that this event belongs to.")
        violations.append(Violation("R1", EVENT_TYPE, message, fault="missing"))
    if len(named) > MAX_EVENT_TYPES:
        message = _(
            "An event has at most {most} event types; this one has {count:,}.",
            most=MAX_EVENT_TYPES,
            count=len(named),
        )
        violations.append(Violation("R1", EVENT_TYPE, message, fault="too_many_values"))
        return frozenset()
    for name in named:
        try:
            types.add(str(domain.event_value(name)))
        except OutsideDomain:
            suggestion = domain.nearest_to(name) if len(violations) < _MAX_SUGGESTIONS else None
            message = _("There is no event type {name}.", name=shown(name)) + did_you_mean(suggestion)
            violations.append(Violation("R1", EVENT_TYPE, message, suggestion, fault="not_a_value"))
    if view is not None and not violations and types != view.event_types:
        types_asked_for = _(" and ").join(sorted(view.event_types))
        message = _("The view is for events of {types}, no more and no less.", types=types_asked_for)
        violations.append(Violation("R1", EVENT_TYPE, message, fault="not_of_the_view"))
    return frozenset(types)


def _view_without_types(schema: "Schema") -> View:
    """With no known event type, at least the names and the values can be checked."""
    rules = {name: AttributeRule(domain, False, True) for name, domain in schema.domain_of.items()}
    return View(frozenset(), rules, ())


def _read_values(rule: AttributeRule, raw: object) -> tuple[Value, ...]:
    read = rule.domain.event_value
    if not isinstance(raw, _COLLECTIONS):
        return (read(raw),)
    if len(raw) > MAX_VALUES:
        raise OutsideDomain("too many values")
    values = tuple(sorted({read(value) for value in raw}))
    if len(values) > 1 and not rule.multiple:
        raise OutsideDomain("more than one value")
    return values


class _TextAllowance:
    """How many characters of text an event may still have; a refused text has used them up all the same."""

    def __init__(self) -> None:
        self._left = MAX_TEXT_OF_AN_EVENT

    def take(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            message = _(
                "The texts of an event have at most {most:,} characters together,"
                " ligatures written out; here are more.",
                most=MAX_TEXT_OF_AN_EVENT,
            )
            raise OutsideDomain(message, fault="too_long")


def _read_text(
    rule: AttributeRule, raw: object, allowance: _TextAllowance
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words, and the texts as they were given."""
    if isinstance(raw, str):
        allowance.take(len(raw))
    elif isinstance(raw, _COLLECTIONS):
        allowance.take(sum(map(len, {text for text in raw if isinstance(text, str)})))
    texts = [str(text) for text in _read_values(rule, raw)]
    found: set[str] = set()
    for text in texts:
        plain = folded(text)
        allowance.take(max(0, len(plain) - len(text)))
        found.update(words_of_folded(plain))
    return tuple(sorted(found)), tuple(texts)


def _faults(name: str, rule: AttributeRule, raw: object, before: int) -> Iterator[Violation]:
    """What is wrong with an attribute that was refused: each bad value, and whether there are too many."""
    given = list(raw) if isinstance(raw, _COLLECTIONS) else [raw]
    if len(given) > MAX_VALUES:
        message = _(
            "{name} takes at most {most:,} values; it has {count:,}.",
            name=name,
            most=MAX_VALUES,
            count=len(given),
        )
        yield Violation("R2", name, message, fault="too_many_values")
        return
    good, bad = set(), 0
    for value in _distinct(given):
        try:
            good.add(rule.domain.event_value(value))
        except OutsideDomain as error:
            bad += 1
            if bad <= _MAX_FAULTS_OF_AN_ATTRIBUTE:
                suggestion = rule.domain.nearest_to(value) if before + bad <= _MAX_SUGGESTIONS else None
                message = said_of(name, f"{error}{did_you_mean(suggestion)}")
                yield Violation("R2", name, message, suggestion, fault=error.fault)
    if len(good) + bad > 1 and not rule.multiple:
        message = _("{name} takes one value; it has {count}.", name=name, count=len(good) + bad)
        yield Violation("R2", name, message, fault="several_values")


def _distinct(values: list[Any]) -> Iterator[Any]:
    """The values without repetitions. What cannot be compared, such as a list, is in no domain anyway."""
    seen = set()
    for value in values:
        try:
            repeated = (type(value), value) in seen
            seen.add((type(value), value))
        except TypeError:
            repeated = False
        if not repeated:
            yield value


def _not_in_view(schema: "Schema", name: object, view: View, before: int) -> Violation:
    if isinstance(name, str) and name in schema.attributes:
        types = either(view.event_types)
        message = _("{name} is not an attribute of {types} here.", name=name, types=types)
        return Violation("R3", name, message, fault="not_of_the_type")
    near = isinstance(name, str) and before < _MAX_SUGGESTIONS
    suggestion = nearest(str(name), view.rules) if near else None
    message = _("There is no attribute {name}.", name=shown(name)) + did_you_mean(suggestion)
    return Violation("R3", printable(str(name)), message, suggestion, fault="unknown_attribute")


def _missing(schema: "Schema", name: str, view: View) -> str:
    demanding = [kind for kind in view.event_types if name in schema.event_types[kind].mandatory_set]
    return _("{name} is mandatory for {types} and has no value.", name=name, types=either(demanding))
