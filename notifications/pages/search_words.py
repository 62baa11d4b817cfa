"""Which operators a form offers first."""

from collections.abc import Mapping

from schema_registry.core.domains import Domain
from schema_registry.core.operator_words import verbs_of

_USEFUL_FIRST = {
    "numeric": ("<=", ">=", "between", "=", "in", "<", ">"),
    "hierarchical": ("<=", "=", "in", "<", ">=", ">"),
    "enumerated": ("=", "in", ">=", "<=", "between", ">", "<"),
    "string": ("=", "in", "contains"),
    "text": ("contains",),
}


def operators_of(domain: Domain) -> Mapping[str, tuple[str, str]]:
    """The operators of the domain, the useful ones first, each in words and in words negated.

    Excluding a row says `!=`, so that one is left out where `=` is there.
    """
    useful = _USEFUL_FIRST.get(domain.kind, ())
    own = [operator for operator in domain.operators if operator != "!=" or "=" not in domain.operators]
    ordered = sorted(own, key=lambda each: useful.index(each) if each in useful else len(useful))
    return {operator: verbs_of(operator, domain) for operator in ordered}
