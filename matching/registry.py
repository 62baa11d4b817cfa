"""Matchers by name. One is imported when it is first asked for: the engine brings a compiler with it."""

from importlib import import_module
from typing import Any

from matching.algorithms.base import Matcher
from schema_registry.core.schema import Schema

_MATCHERS = {
    "naive": "matching.algorithms.naive:NaiveMatcher",
    "fair-predicate": "matching.algorithms.fair_predicate:FairPredicateMatcher",
    "equality-preferred": "matching.algorithms.equality_preferred:EqualityPreferredMatcher",
    "quarantining": "matching.algorithms.quarantining:QuarantiningMatcher",
    "aguilera": "matching.algorithms.aguilera:AguileraMatcher",
    "neon": "matching.algorithms.neon:NeonMatcher",
    "engine": "matching.engine.engine:Engine",
}


def names() -> list[str]:
    return list(_MATCHERS)


def create(name: str, schema: Schema, **options: Any) -> Matcher:
    """A matcher without subscriptions. Raises LookupError for an unknown name."""
    if name not in _MATCHERS:
        raise LookupError(f"There is no matcher {name!r}; there are {', '.join(_MATCHERS)}.")
    module, class_name = _MATCHERS[name].split(":")
    matcher: Matcher = getattr(import_module(module), class_name)(schema, **options)
    return matcher
