"""What is made of a field's string: each cast with its options, read from the mapping's JSON.

A cast is a value. `reader` makes a function of it once per judge, with what the schema says of the attribute,
and the function turns a cleaned string into a value for the event, or raises UnreadableError.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar

from matching.feeds import amounts, moments
from matching.feeds.amounts import UnreadableError
from matching.feeds.faults import Part
from matching.feeds.remembering import Remembering
from schema_registry.core.domains import Domain, FiniteDomain
from schema_registry.core.errors import OutsideDomain
from schema_registry.core.sentences import gettext as _
from schema_registry.core.text import words
from schema_registry.core.wording import shown

Reader = Callable[[str], Any]
DROPPED = object()
"""What a reader gives for a value that the mapping leaves out."""

UNMAPPED = ("reject", "drop")


@dataclass(frozen=True, slots=True)
class Money:
    """The site's currencies: `target` is that of the events, `rates` what one of another is worth in it."""

    target: str = "EUR"
    rates: Mapping[str, Decimal] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)

    def rate(self, written: str) -> Decimal | None:
        """What to multiply by; None where nothing needs to be. Raises UnreadableError."""
        currency = self.symbols.get(written) or amounts.SYMBOLS.get(written, written)
        if currency == self.target:
            return None
        if (rate := self.rates.get(currency)) is None:
            raise UnreadableError(_("There is no rate for the currency {name}.", name=shown(currency)))
        return rate


@dataclass(frozen=True, slots=True)
class TextCast:
    """The string itself."""

    name: ClassVar[str] = "text"

    def reader(self, domain: Domain | None, site: "Money") -> Reader:
        return str


@dataclass(frozen=True, slots=True)
class WordsCast:
    """Each word of the string, as searches for words see it."""

    name: ClassVar[str] = "words"

    def reader(self, domain: Domain | None, site: "Money") -> Reader:
        def read(text: str) -> Any:
            try:
                return list(words(text)) or DROPPED
            except OutsideDomain as error:
                raise UnreadableError(str(error)) from None

        return read


@dataclass(frozen=True, slots=True)
class NumberCast:
    """A number with this decimal mark."""

    name: ClassVar[str] = "number"
    decimal: str = "."

    def reader(self, domain: Domain | None, site: "Money") -> Reader:
        return lambda text: amounts.number(text, self.decimal)


@dataclass(frozen=True, slots=True)
class MoneyCast:
    """A sum in the target currency. `currency` is that of a bare amount."""

    name: ClassVar[str] = "money"
    decimal: str = "auto"
    currency: str = ""
    currency_field: str = ""

    def reader(self, domain: Domain | None, site: "Money") -> Reader:
        bare, mark = self.currency or site.target, self.decimal
        rate_of = Remembering(lambda written: site.rate(written or bare))
        return lambda text: amounts.money(text, mark, rate_of)


@dataclass(frozen=True, slots=True)
class DateCast:
    """A date; `gives` says what the attribute gets."""

    name: ClassVar[str] = "date"
    formats: tuple[str, ...] = (moments.ISO,)
    time_zone: str = "UTC"
    gives: str = "moment"

    def reader(self, domain: Domain | None, site: "Money") -> Reader:
        moment = moments.moment_reader(self.formats, self.time_zone)
        return lambda text: moments.value_of(moment(text), self.gives, self.time_zone)


@dataclass(frozen=True, slots=True)
class CategoryCast:
    """A value of a finite domain: by the table, or else by identifier, label or path of labels."""

    name: ClassVar[str] = "category"
    table: Mapping[str, str | None] = field(default_factory=dict)
    unmapped: str = "reject"

    def reader(self, domain: Domain | None, site: "Money") -> Reader:
        table = {text: self._target(domain, target) for text, target in self.table.items()}
        return lambda text: table[text] if text in table else self._found(domain, text)

    def _target(self, domain: Domain | None, target: str | None) -> Any:
        found = None if target is None else category(domain, target)
        return DROPPED if target is None else target if found is None else found

    def _found(self, domain: Domain | None, text: str) -> Any:
        if (found := category(domain, text)) is not None:
            return found
        if self.unmapped == "drop":
            return DROPPED
        raise UnreadableError(_("{value} is not a category that the mapping knows.", value=shown(text)))


Cast = TextCast | WordsCast | NumberCast | MoneyCast | DateCast | CategoryCast


def category(domain: Domain | None, text: str) -> str | None:
    """The one value with this identifier, label or path; None if there is none, or more than one."""
    if not isinstance(domain, FiniteDomain):
        return None
    try:
        if text in domain.identifiers():
            return text
        found = domain.named(text)
    except OutsideDomain:
        return None
    return found[0] if len(found) == 1 else None


def read_cast(part: Part, default: str, time_zone: str) -> Cast:
    """The cast that the part asks for, with its options; faults are noted."""
    name = part.choice("cast", list(OPTIONS), default)
    for option, owners in _OWNERS.items():
        if option in part.raw and name not in owners:
            known = ", ".join(owners)
            part.note(
                option, _("This is an option of the cast {known}, not of {name}.", known=known, name=name)
            )
    match name:
        case "words":
            return WordsCast()
        case "number":
            return NumberCast(part.choice("decimal", amounts.MARKS, "."))
        case "money":
            mark = part.choice("decimal", amounts.MARKS, "auto")
            return MoneyCast(mark, part.text("currency"), part.text("currency_field"))
        case "date":
            zone = moments.zone(part, "time_zone", time_zone)
            return DateCast(
                moments.formats(part, "formats"), zone, part.choice("gives", moments.GIVES, "moment")
            )
        case "category":
            return CategoryCast(_table(part), part.choice("unmapped", UNMAPPED, "reject"))
    return TextCast()


def _table(part: Part) -> Mapping[str, str | None]:
    if not part.has("table"):
        return MappingProxyType({})
    table = part.part("table")
    for text, target in table.raw.items():
        if target is not None and not (isinstance(target, str) and target):
            table.note(text, _("This must be a category, or null to leave it out."))
    return MappingProxyType(dict(table.raw))


OPTIONS: Mapping[str, tuple[str, ...]] = {
    "text": (),
    "words": (),
    "number": ("decimal",),
    "money": ("decimal", "currency", "currency_field"),
    "date": ("formats", "time_zone", "gives"),
    "category": ("table", "unmapped"),
}
_OWNERS = {
    option: [name for name, options in OPTIONS.items() if option in options]
    for options in OPTIONS.values()
    for option in options
}
