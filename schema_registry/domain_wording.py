"""What a domain holds and what can be asked of it, in words for people."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from schema_registry.core.decimals import number_text
from schema_registry.core.domains import (
    Domain,
    EnumeratedDomain,
    FiniteDomain,
    NumericDomain,
)
from schema_registry.core.numbers import grouped
from schema_registry.core.operator_words import meaning_of
from schema_registry.core.wording import said_of

_KINDS = {
    "numeric": gettext_lazy("a number"),
    "string": gettext_lazy("a short text, compared as a whole"),
    "text": gettext_lazy("free text, compared by its words"),
    "enumerated": gettext_lazy("one of a list"),
    "hierarchical": gettext_lazy("one of a tree"),
}


@dataclass(frozen=True, slots=True)
class OperatorInWords:
    operator: str
    words: str


def kind_in_words(domain: Domain) -> str:
    """With the unit and the bounds of numbers, and how many values there are to choose from."""
    kind = str(_KINDS[domain.kind])
    if isinstance(domain, NumericDomain):
        return " ".join(filter(None, (kind, _bounds(domain), _unit(domain))))
    if isinstance(domain, FiniteDomain):
        count = len(domain.identifiers())
        values = ngettext("%(count)s value", "%(count)s values", count) % {"count": grouped(count)}
        order = _(", in order") if isinstance(domain, EnumeratedDomain) and domain.order else ""
        return said_of(kind, values + order)
    return kind


def operators_in_words(domain: Domain) -> list[OperatorInWords]:
    return [OperatorInWords(operator, meaning_of(operator, domain)) for operator in domain.operators]


def _bounds(domain: NumericDomain) -> str:
    low, high = (None if each is None else number_text(each) for each in (domain.low, domain.high))
    if low is not None and high is not None:
        return _("from %(low)s to %(high)s") % {"low": low, "high": high}
    if low is not None:
        return _("from %(low)s up") % {"low": low}
    return "" if high is None else _("up to %(high)s") % {"high": high}


def _unit(domain: NumericDomain) -> str:
    return _("in %(unit)s") % {"unit": domain.unit} if domain.unit else ""
