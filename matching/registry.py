"""Matchers by name. One is imported when it is first asked for: the engine brings a compiler with it."""

from importlib import import_module
from typing import Any

from matching.algorithms.base import Matcher
from matching.operators.evaluation import Evaluator
from schema_registry.core.schema import Schema

_MATCHERS = {
    "naive": "matching.algorithms.naive:NaiveMatcher",
    "fair-predicate": "matching.algorithms.fair_predicate:FairPredicateMatcher",
    "equality-preferred": "matching.algorithms.equality_preferred:EqualityPreferredMatcher",
    "quarantining": "matching.algorithms.quarantining:QuarantiningMatcher",
    "gough": "matching.algorithms.gough:GoughMatcher",
    "hanson": "matching.algorithms.hanson:HansonMatcher",
    "aguilera": "matching.algorithms.aguilera:AguileraMatcher",
    "neon": "matching.algorithms.neon:NeonMatcher",
    "topss-list": "matching.algorithms.topss:TopssList",
    "topss-bit": "matching.algorithms.topss:TopssBit",
    "topss-byte": "matching.algorithms.topss:TopssByte",
    "dbms-sequential": "matching.algorithms.dbms:DbmsSequential",
    "dbms-grouping": "matching.algorithms.dbms:DbmsGrouping",
    "tama": "matching.algorithms.tama:TamaMatcher",
    "h-tree": "matching.algorithms.h_tree:HTreeMatcher",
    "be-tree": "matching.algorithms.be_tree:BETreeMatcher",
    "opindex": "matching.algorithms.opindex:OpIndexMatcher",
    "rein": "matching.algorithms.rein:ReinMatcher",
    "dexin": "matching.algorithms.dexin:DexinMatcher",
    "engine": "matching.engine.engine:Engine",
    "operators-naive": "matching.algorithms.with_operators:OperatorsNaive",
    "operators-sequential": "matching.algorithms.with_operators:OperatorsSequential",
    "operators-suborder": "matching.algorithms.with_operators:OperatorsSubOrder",
}


def names() -> list[str]:
    return list(_MATCHERS)


def algorithms() -> list[str]:
    """Those that differ in how they match plain predicates, so that comparing them says something."""
    return [name for name in _MATCHERS if not name.startswith("operators-")]


def create(name: str, schema: Schema, *, evaluator: Evaluator | None = None, **options: Any) -> Matcher:
    """A matcher without subscriptions; `evaluator` is for other operators than those that are installed.

    Raises LookupError for an unknown name.
    """
    if name not in _MATCHERS:
        raise LookupError(f"There is no matcher {name!r}; there are {', '.join(_MATCHERS)}.")
    module, class_name = _MATCHERS[name].split(":")
    matcher: Matcher = getattr(import_module(module), class_name)(schema, **options)
    if evaluator is not None:
        matcher.operators.evaluator = evaluator
    return matcher
