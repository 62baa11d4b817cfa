"""The rows of a search as the page shows them: what can be chosen, the field that fits, and what is wrong."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext as _

from notifications.pages import search_calls
from notifications.pages.search_form import GROUP_NAMES, ROOT, Path, path_text
from notifications.pages.search_words import operators_of
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, FiniteDomain, HierarchicalDomain, NumericDomain, TextDomain
from schema_registry.core.errors import OutsideDomain, SubscriptionError
from schema_registry.core.operator_words import attribute_in_words, verbs_of
from schema_registry.core.schema import Schema
from schema_registry.core.text import nfc
from schema_registry.core.wording import shown as quoted
from schema_registry.language.ast import Test
from schema_registry.language.call_rows import CallRow
from schema_registry.language.checker import Checker
from schema_registry.language.limits import DEFAULT, check_text
from schema_registry.language.outline import MOST_LEVELS, Group, Part, Raw, Row, row_text
from schema_registry.language.parser import syntax_tree
from schema_registry.value_index import NamedValue, deprecated_values, named_values

MOST_OPTIONS = 40  # of an enumeration in a list; larger ones are searched
MOST_SUGGESTIONS = 5  # for what is misspelt; nobody reads more at once


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    words: str
    is_chosen: bool = False

    @property
    def typed(self) -> str:
        """What is typed where it is not chosen from a list."""
        return self.value if self.value.endswith(search_calls.CALLED) else self.words


@dataclass(frozen=True, slots=True)
class Field:
    """Where the values of a row are put in. Its kind names the template that draws it."""

    kind: str
    values: tuple[str, ...] = ()
    unit: str = ""
    domain: str = ""
    is_multiple: bool = False
    choices: tuple[Choice, ...] = ()
    chosen: tuple[NamedValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShownPart:
    path: str
    number: int

    @property
    def key(self) -> str:
        """For the ids of its elements."""
        return self.path.replace(".", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow(_ShownPart):
    what: ClassVar[str] = "row"
    attribute: str
    label: str
    negated: bool
    operators: tuple[Choice, ...]
    field: Field
    error: str = ""
    has_focus: bool = False
    is_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRaw(_ShownPart):
    what: ClassVar[str] = "raw"
    text: str
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownGroup(_ShownPart):
    what: ClassVar[str] = "group"
    name: str
    parts: tuple["Shown", ...]
    is_whole: bool
    can_nest: bool
    has_focus: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCall(_ShownPart):
    """`attribute` is what the list of attributes has for the operator."""

    what: ClassVar[str] = "call"
    attribute: str
    label: str
    description: str
    places: tuple[search_calls.ShownPlace, ...]
    operators: tuple[Choice, ...]
    field: Field
    error: str = ""
    has_focus: bool = False
    is_known: bool = True


Shown = ShownRow | ShownCall | ShownRaw | ShownGroup


def shown(group: Group, schema: Schema, *, focus: Path | None = None, is_saving: bool = False) -> ShownGroup:
    """The whole; when it is saved, rows that lack something say so."""
    wrong = 0

    def part(each: Part, path: Path, number: int) -> Shown:
        nonlocal wrong
        name, has_focus = path_text(path), path == focus
        match each:
            case Row():
                suggests = wrong < MOST_SUGGESTIONS
                row = _row(
                    each,
                    schema,
                    name,
                    number,
                    has_focus=has_focus,
                    is_saving=is_saving,
                    suggests=suggests,
                )
                wrong += bool(row.error)
                return row
            case CallRow():
                call = _call(each, schema, name, number, has_focus=has_focus, is_saving=is_saving)
                wrong += bool(call.error)
                return call
            case Raw(text):
                return ShownRaw(path=name, number=number, text=text, error=_syntax_error(text))
        return ShownGroup(
            path=name,
            number=number,
            name=GROUP_NAMES[each.kind, each.negated],
            parts=tuple(part(inner, (*path, n), n + 1) for n, inner in enumerate(each.parts)),
            is_whole=path == ROOT,
            can_nest=len(path) < MOST_LEVELS,
            has_focus=has_focus,
        )

    whole = part(group, ROOT, 1)
    assert isinstance(whole, ShownGroup)
    return whole


def leaves(group: ShownGroup) -> Iterator[ShownRow | ShownCall | ShownRaw]:
    """The rows and texts in the order of the page."""
    for part in group.parts:
        if isinstance(part, ShownGroup):
            yield from leaves(part)
        else:
            yield part


def row_error(row: Row, schema: Schema, *, suggests: bool = True) -> str:
    """What the language says of a row, also of one whose values are still missing; empty if nothing.

    To suggest what was meant takes a few ms.
    """
    if not row.attribute:
        return ""
    if row.attribute not in schema.domain_of:
        row = Row(row.attribute, "exists")
    if not row.is_complete:
        return ""
    if not suggests and (unknown := _unknown(row, schema.domain_of.get(row.attribute))):
        return unknown
    try:
        text = row_text(Row(row.attribute, row.operator, row.values))
        check_text(text, DEFAULT)
        test = syntax_tree(text)
        if not isinstance(test, Test):
            return _("This condition cannot be read.")
        Checker(text, schema).predicate(test)
    except SubscriptionError as error:
        return error.message
    return ""


def _unknown(row: Row, domain: Domain | None) -> str:
    """What `row_error` says of names that nobody knows, without what they could have been."""
    if domain is None:
        return _("There is no attribute %(name)s.") % {"name": quoted(row.attribute)}
    if isinstance(domain, FiniteDomain):
        for value in row.values:
            if not _meant(value, domain):
                words = {"attribute": row.attribute, "value": quoted(value)}
                return _("%(attribute)s: %(value)s is not one of its values.") % words
    return ""


def _row(
    row: Row,
    schema: Schema,
    path: str,
    number: int,
    *,
    has_focus: bool,
    is_saving: bool,
    suggests: bool,
) -> ShownRow:
    error = row_error(row, schema, suggests=suggests)
    if is_saving and not error and row.attribute and not row.is_complete:
        error = _missing()
    domain = schema.domain_of.get(row.attribute)
    return ShownRow(
        path=path,
        number=number,
        attribute=row.attribute,
        label=attribute_in_words(row.attribute),
        negated=row.negated,
        operators=_operators(row, domain),
        field=_field(row, domain, schema),
        error=error,
        has_focus=has_focus,
        is_known=domain is not None and row.attribute not in schema.deprecated.attributes,
    )


def _call(
    row: CallRow, schema: Schema, path: str, number: int, *, has_focus: bool, is_saving: bool
) -> ShownCall:
    error = search_calls.error_of(row, schema)
    if is_saving and not error and not row.is_complete:
        error = _missing()
    name = row.operator + search_calls.CALLED
    return ShownCall(
        path=path,
        number=number,
        attribute=name,
        label=name,
        description=search_calls.description_of(row.operator),
        places=search_calls.places_of(row, schema),
        operators=tuple(
            Choice(value, words, value == row.comparator) for value, words in search_calls.comparators_of(row)
        ),
        field=Field(row.value.kind, (row.value.text,), unit=search_calls.unit_of(row)),
        error=error,
        has_focus=has_focus,
        is_known=any(each.name == row.operator for each in search_calls.offered(schema)),
    )


def _missing() -> str:
    return _("Something is missing here. Fill it in, or remove this condition.")


def _operators(row: Row, domain: Domain | None) -> tuple[Choice, ...]:
    if domain is None:
        return (Choice(row.operator, row.operator, is_chosen=True),) if row.operator else ()
    words: Mapping[str, tuple[str, str]] = operators_of(domain)
    if row.operator and row.operator not in words:
        words = {row.operator: verbs_of(row.operator, domain), **words}
    return tuple(
        Choice(operator, verbs[row.negated], operator == row.operator) for operator, verbs in words.items()
    )


def _field(row: Row, domain: Domain | None, schema: Schema) -> Field:
    """The kinds: none, number, range, words, text, several, select, checks, picker."""
    operator, values = row.operator, row.values
    if not row.attribute or not operator or operator == "exists":
        return Field("none")
    unit = domain.unit or "" if isinstance(domain, NumericDomain) else ""
    if operator == "between":
        return _range(row, domain, unit)
    if isinstance(domain, FiniteDomain):
        return _finite_field(row, domain, schema)
    if operator == "in":
        return Field("several", (*values, ""), unit=unit)
    kind = {NumericDomain: "number", TextDomain: "words"}.get(type(domain), "text")
    return Field(kind, values, unit=unit)


def _range(row: Row, domain: Domain | None, unit: str) -> Field:
    low, high = (*row.values, "", "")[:2]
    if not isinstance(domain, FiniteDomain) or len(domain.identifiers()) > MOST_OPTIONS:
        return Field("range", (low, high), unit=unit)
    choices = tuple(Choice(value, domain.label(value)) for value in domain.identifiers())
    return Field("range", (_identifier(low, domain), _identifier(high, domain)), choices=choices)


def _finite_field(row: Row, domain: FiniteDomain, schema: Schema) -> Field:
    name = EVENT_TYPE if row.attribute == EVENT_TYPE else schema.attributes[row.attribute]
    is_multiple = row.operator == "in"
    values = tuple(_identifier(value, domain) for value in row.values)
    if isinstance(domain, HierarchicalDomain) or len(domain.identifiers()) > MOST_OPTIONS:
        chosen = tuple(named_values(schema, name, values))
        return Field("picker", values, domain=name, is_multiple=is_multiple, chosen=chosen)
    left_out = deprecated_values(schema, name).difference(values)
    offered: Iterable[str] = (value for value in domain.identifiers() if value not in left_out)
    choices = [Choice(value, domain.label(value), value in values) for value in offered]
    choices += [Choice(value, value, is_chosen=True) for value in values if value not in domain.identifiers()]
    return Field(
        "checks" if is_multiple else "select", values, is_multiple=is_multiple, choices=tuple(choices)
    )


def _identifier(value: str, domain: FiniteDomain) -> str:
    """Labels and paths in a text are shown as the values they stand for."""
    found = _meant(value, domain)
    return found[0] if len(found) == 1 else value


def _meant(value: str, domain: FiniteDomain) -> tuple[str, ...]:
    """The values of this identifier, label or path. Domain.constant also suggests others, and is slower."""
    try:
        name = nfc(value)
        return (name,) if name in domain.identifiers() else domain.named(name)
    except OutsideDomain:
        return ()


def _syntax_error(text: str) -> str:
    try:
        check_text(text, DEFAULT)
        syntax_tree(text)
    except SubscriptionError as error:
        return error.message
    return ""
