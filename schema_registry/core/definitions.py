"""Reading definitions: from the dicts that publishers and administrators send to domains and event types.

Everything is checked here, once, in time proportional to the definition, and before anything is built
from it: types, caps, names, duplicates, dangling references, cycles. What is wrong raises SchemaError.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from schema_registry.core.decimals import number, number_text
from schema_registry.core.domains import (
    Domain,
    EnumeratedDomain,
    HierarchicalDomain,
    NumericDomain,
    StringDomain,
    TextDomain,
)
from schema_registry.core.errors import OutsideDomain, SchemaError
from schema_registry.core.label_paths import LabelPaths
from schema_registry.core.nearest import nearest
from schema_registry.core.orders import Forest, PartialOrder
from schema_registry.core.sentences import LazyText, gettext_lazy
from schema_registry.core.sentences import gettext as _
from schema_registry.core.text import nfc
from schema_registry.core.wording import did_you_mean, said_of, shown

EVENT_TYPE = "event_type"
KEYWORDS = frozenset({"and", "or", "not", "in", "between", "contains", "exists"})

MAX_VALUES = 200_000
MAX_ORDER_PAIRS = 20_000
MAX_NAME = 100
MAX_IDENTIFIER = 200

_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp"})  # categories of characters that nobody sees in a name
_A_VALUE = gettext_lazy("A value")
_A_LABELLED_VALUE = gettext_lazy("A labelled value")
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def attribute_name(name: object) -> str:
    """The name, checked: a word of ASCII letters, digits and `_` that is not a keyword nor `event_type`."""
    if not isinstance(name, str) or not _ATTRIBUTE_NAME.fullmatch(name) or len(name) > MAX_NAME:
        message = _(
            "An attribute name is letters, digits and '_', not starting with a digit,"
            " at most {most} characters; {name} is not.",
            most=MAX_NAME,
            name=shown(name),
        )
        raise SchemaError(message)
    if name.lower() in KEYWORDS:
        raise SchemaError(
            _("'{name}' is a keyword of the subscription language, so no attribute can have it.", name=name)
        )
    if name == EVENT_TYPE:
        raise SchemaError(_("'event_type' is there in every schema and cannot be defined."))
    return name


def section_name(name: object, what: LazyText | str) -> str:
    """The name of a domain or an event type as it is kept: an identifier that can be a part of a URL's path.

    O(1) for names over the limit, whatever they hold.
    """
    checked = identifier(name, what, limit=MAX_NAME)
    if "/" in checked or checked in (".", ".."):
        message = _(
            "{what} must not contain '/' or be '.' or '..'; {name} is refused.",
            what=what,
            name=shown(checked),
        )
        raise SchemaError(message)
    return checked


def identifier(raw: object, what: LazyText | str, limit: int = MAX_IDENTIFIER) -> str:
    """The string in NFC, checked: not blank, no outer spaces, nothing invisible, not too long.

    Invisible are control and format characters and line separators: they let two names look alike, or one
    read backwards. That takes the joiners of emoji and of some scripts too. O(1) over the limit.
    """
    if not isinstance(raw, str):
        raise SchemaError(_("{what} must be a string; {value} is not.", what=what, value=shown(raw)))
    try:
        name = nfc(raw, limit)
    except OutsideDomain as error:
        raise SchemaError(said_of(what, error)) from None
    if not name or name != name.strip():
        raise SchemaError(
            _("{what} must not be empty or have spaces around it; {name} does.", what=what, name=shown(name))
        )
    if not name.isprintable() and any(unicodedata.category(each) in _INVISIBLE for each in name):
        message = _(
            "{what} must not contain control or other invisible characters; {name} does.",
            what=what,
            name=shown(name),
        )
        raise SchemaError(message)
    return name


def stored_name(name: object, known: Collection[str]) -> str | None:
    """The one of the known names that is this one in NFC; None if there is none. O(1) over the limit."""
    if not isinstance(name, str) or len(name) > MAX_IDENTIFIER:
        return None
    if name in known:
        return name
    try:
        normal = nfc(name, MAX_IDENTIFIER)
    except OutsideDomain:
        return None
    return normal if normal in known else None


def mapping(raw: object, what: LazyText | str) -> Mapping[Any, Any]:
    """The mapping itself, or SchemaError."""
    if not isinstance(raw, Mapping):
        raise SchemaError(_("{what} must be an object; {value} is not.", what=what, value=shown(raw)))
    return raw


def sequence(raw: object, what: LazyText | str) -> Sequence[Any]:
    """The list itself, or SchemaError."""
    if not isinstance(raw, list | tuple):
        raise SchemaError(_("{what} must be a list; {value} is not.", what=what, value=shown(raw)))
    return raw


def known_keys(raw: Mapping[Any, Any], known: Iterable[str], what: LazyText | str) -> None:
    """Raises SchemaError when the mapping has another key."""
    for key in raw:
        if key not in known:
            suggestion = nearest(key, known) if isinstance(key, str) else None
            message = _("{what} has the unknown key {key}.", what=what, key=shown(key))
            raise SchemaError(message + did_you_mean(suggestion))


def domain(definition: object) -> Domain:
    """The domain that a definition describes. O(size of the definition)."""
    parts = mapping(definition, gettext_lazy("A domain's definition"))
    kind = parts.get("kind")
    if not isinstance(kind, str) or kind not in _READERS:
        message = _(
            "A domain's kind is one of {kinds}; {kind} is not.", kinds=", ".join(_READERS), kind=shown(kind)
        )
        raise SchemaError(message)
    keys, read = _READERS[kind]
    known_keys(parts, ("kind", "operators", *keys), gettext_lazy("The {kind} domain", kind=kind))
    read_domain = read(parts)
    if read_domain.restricted_to is not None:
        _check_operators(read_domain)
    return read_domain


def _numeric(parts: Mapping[str, Any]) -> Domain:
    try:
        low = None if parts.get("min") is None else number(parts["min"])
        high = None if parts.get("max") is None else number(parts["max"])
    except OutsideDomain as error:
        raise SchemaError(_("A bound of the domain: {why}", why=error)) from None
    if low is not None and high is not None and low > high:
        raise SchemaError(_("min {low} is above max {high}.", low=number_text(low), high=number_text(high)))
    unit = parts.get("unit")
    if unit is not None:
        unit = identifier(unit, gettext_lazy("A unit"), limit=MAX_NAME)
    return NumericDomain(low=low, high=high, unit=unit, restricted_to=_operators(parts))


def _string(parts: Mapping[str, Any]) -> Domain:
    return StringDomain(restricted_to=_operators(parts))


def _text(parts: Mapping[str, Any]) -> Domain:
    return TextDomain(restricted_to=_operators(parts))


def _enumerated(parts: Mapping[str, Any]) -> Domain:
    members: dict[str, None] = {}
    given = sequence(parts.get("values"), gettext_lazy("The values of an enumerated domain"))
    _check_size(len(given))
    for raw in given:
        value = identifier(raw, _A_VALUE)
        if value in members:
            raise SchemaError(_("The value '{value}' is given twice.", value=value))
        members[value] = None
    pairs = _order_pairs(parts.get("order"), members)
    labels, by_label = _labels(parts, members)
    return EnumeratedDomain(
        members=MappingProxyType(members),
        pairs=pairs or None,
        order=PartialOrder(pairs),
        labels=labels,
        by_label=by_label,
        restricted_to=_operators(parts),
    )


def _hierarchical(parts: Mapping[str, Any]) -> Domain:
    parents: dict[str, str | None] = {}
    given = mapping(parts.get("values"), gettext_lazy("The values of a hierarchical domain"))
    _check_size(len(given))
    for raw, raw_parent in given.items():
        value = identifier(raw, _A_VALUE)
        if value in parents:
            raise SchemaError(_("The value '{value}' is given twice.", value=value))
        parent_of = gettext_lazy("The parent of '{value}'", value=value)
        parents[value] = None if raw_parent is None else identifier(raw_parent, parent_of)
    labels, by_label = _labels(parts, parents)
    return HierarchicalDomain(
        forest=Forest(parents),
        labels=labels,
        by_label=by_label,
        paths=LabelPaths(parents, labels or {}, by_label),
        restricted_to=_operators(parts),
    )


def _check_size(count: int) -> None:
    if not 0 < count <= MAX_VALUES:
        raise SchemaError(
            _("A domain has 1 to {most:,} values; this one has {count:,}.", most=MAX_VALUES, count=count)
        )


def _order_pairs(raw: object, members: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    pairs = () if raw is None else sequence(raw, gettext_lazy("The order of an enumerated domain"))
    if len(pairs) > MAX_ORDER_PAIRS:
        message = _(
            "An order has at most {most:,} pairs; this one has {count:,}.",
            most=MAX_ORDER_PAIRS,
            count=len(pairs),
        )
        raise SchemaError(message)
    checked: dict[tuple[str, str], None] = {}
    for pair in pairs:
        if len(sequence(pair, gettext_lazy("A pair of the order"))) != 2:
            raise SchemaError(_("A pair of the order is two values, the lower and the higher."))
        low, high = (identifier(value, gettext_lazy("A value of the order")) for value in pair)
        for value in (low, high):
            if value not in members:
                raise SchemaError(
                    _("The order mentions '{value}', which is not a value of the domain.", value=value)
                )
        if (low, high) in checked:
            raise SchemaError(_("The order gives the pair '{low}', '{high}' twice.", low=low, high=high))
        checked[low, high] = None
    return tuple(checked)


def _labels(
    parts: Mapping[str, Any], members: Mapping[str, object]
) -> tuple[Mapping[str, str] | None, Mapping[str, tuple[str, ...]]]:
    """The labels, None if there are none, and the values that each label stands for."""
    labels: dict[str, str] = {}
    by_label: dict[str, list[str]] = {}
    raw_labels = {} if parts.get("labels") is None else parts["labels"]
    given = mapping(raw_labels, gettext_lazy("The labels of a domain"))
    for raw, raw_label in given.items():
        value = identifier(raw, _A_LABELLED_VALUE)
        if value not in members:
            raise SchemaError(
                _("There is a label for '{value}', which is not a value of the domain.", value=value)
            )
        if value in labels:
            raise SchemaError(_("The value '{value}' is labelled twice.", value=value))
        labels[value] = identifier(raw_label, gettext_lazy("The label of '{value}'", value=value))
        by_label.setdefault(labels[value], []).append(value)
    grouped = {label: tuple(values) for label, values in by_label.items()}
    return MappingProxyType(labels) if labels else None, MappingProxyType(grouped)


def _operators(parts: Mapping[str, Any]) -> tuple[str, ...] | None:
    if parts.get("operators") is None:
        return None
    return tuple(sequence(parts["operators"], gettext_lazy("The operators of a domain")))


def _check_operators(checked: Domain) -> None:
    assert checked.restricted_to is not None
    supported = checked.kind_operators()
    for operator in checked.restricted_to:
        if operator not in supported:
            message = _(
                "{operator} is not an operator of this domain, which can have {supported}.",
                operator=shown(operator),
                supported=" ".join(supported),
            )
            raise SchemaError(message)
    if not checked.restricted_to or len(set(checked.restricted_to)) < len(checked.restricted_to):
        raise SchemaError(_("A domain that names its operators names at least one, and each once."))


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Mapping[str, Any]], Domain]]] = {
    "numeric": (("min", "max", "unit"), _numeric),
    "string": ((), _string),
    "text": ((), _text),
    "enumerated": (("values", "order", "labels"), _enumerated),
    "hierarchical": (("values", "labels"), _hierarchical),
}
