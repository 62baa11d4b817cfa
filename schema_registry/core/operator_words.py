"""What people call attributes and operators, in sentences, in forms and in the schema browser."""

from collections.abc import Mapping
from dataclasses import dataclass

from schema_registry.core.domains import Domain, HierarchicalDomain, TextDomain
from schema_registry.core.sentences import LazyText
from schema_registry.core.sentences import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class _Words:
    """In a sentence, in a sentence that denies it, and what it means."""

    verb: LazyText | str
    negated: LazyText | str
    meaning: LazyText | str


_ORDERED: Mapping[str, _Words] = {
    "=": _Words(_("is"), _("is not"), _("is")),
    "!=": _Words(_("is not"), _("is"), _("is not")),
    "<": _Words(_("below"), _("not below"), _("is below")),
    "<=": _Words(_("at most"), _("not at most"), _("is at most")),
    ">": _Words(_("above"), _("not above"), _("is above")),
    ">=": _Words(_("at least"), _("not at least"), _("is at least")),
    "in": _Words(_("is one of"), _("is none of"), _("is one of several")),
    "between": _Words(_("between"), _("not between"), _("lies between two, both included")),
    "contains": _Words(_("has"), _("does not have"), _("has this among its values")),
    "exists": _Words(_("is given"), _("is not given"), _("is given at all")),
}
_IN_A_TREE = {
    **_ORDERED,
    "<": _Words(_("is a narrower kind than"), _("is no narrower kind than"), _("is a narrower kind than")),
    "<=": _Words(_("is a kind of"), _("is no kind of"), _("is this or a kind of it")),
    ">": _Words(_("is a wider kind than"), _("is no wider kind than"), _("is a wider kind than")),
    ">=": _Words(_("is as wide a kind as"), _("is not as wide a kind as"), _("is this or a wider kind")),
    "between": _Words(_("between"), _("not between"), _("lies on the way from one up to another")),
}
_IN_A_TEXT = {
    **_ORDERED,
    "contains": _Words(
        _("has the words"), _("does not have the words"), _("has all these words, in any order")
    ),
}


def verbs_of(operator: str, domain: Domain) -> tuple[str, str]:
    """The operator in a sentence about a value of the domain, as it is and negated."""
    words = _words_of(operator, domain)
    return str(words.verb), str(words.negated)


def meaning_of(operator: str, domain: Domain) -> str:
    """What it asks of a value of the domain."""
    return str(_words_of(operator, domain).meaning)


def comparator_in_words(comparator: str) -> str:
    """The comparator in a sentence about a number: below."""
    return str(_ORDERED[comparator].verb)


def attribute_in_words(name: str) -> str:
    """made_of: made of."""
    return name.replace("_", " ")


def _words_of(operator: str, domain: Domain) -> _Words:
    """What is unknown is its own word."""
    known = _ORDERED
    if isinstance(domain, HierarchicalDomain):
        known = _IN_A_TREE
    elif isinstance(domain, TextDomain):
        known = _IN_A_TEXT
    return known.get(operator) or _Words(operator, _("not {operator}", operator=operator), operator)
