"""Matchers by name."""

from typing import Any

from matching.algorithms.base import Matcher
from matching.algorithms.equality_preferred import EqualityPreferredMatcher
from matching.algorithms.fair_predicate import FairPredicateMatcher
from matching.algorithms.naive import NaiveMatcher
from matching.algorithms.quarantining import QuarantiningMatcher
from schema_registry.core.schema import Schema

_MATCHERS: dict[str, type[Matcher]] = {
    "naive": NaiveMatcher,
    "fair-predicate": FairPredicateMatcher,
    "equality-preferred": EqualityPreferredMatcher,
    "quarantining": QuarantiningMatcher,
}


def names() -> list[str]:
    return list(_MATCHERS)


def create(name: str, schema: Schema, **options: Any) -> Matcher:
    """A matcher without subscriptions. Raises LookupError for an unknown name."""
    if name not in _MATCHERS:
        raise LookupError(f"There is no matcher {name!r}; there are {', '.join(_MATCHERS)}.")
    return _MATCHERS[name](schema, **options)
