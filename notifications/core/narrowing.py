"""Proposals for a search that found something one did not want: the same search, without items like that.

An item is like another when an attribute has the same value. So each value of the item, from a list or a
tree of values or a name, makes one proposal: the old text `and not` that value. A negated predicate needs its
attribute to be there, and an item that says nothing of its seller was not complained of; so where the search
does not ask for the attribute anyway, `not seller exists or` comes before.

A proposal is made only if it does what it says: it can be parsed, and no longer matches the item.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from notifications.core.reasons import LONGEST_VALUE
from notifications.core.wording import one_line
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, FiniteDomain, HierarchicalDomain, StringDomain, Value
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.events import Event
from schema_registry.core.operator_meaning import Evaluate
from schema_registry.core.operator_words import attribute_in_words
from schema_registry.core.predicates import Predicate
from schema_registry.core.schema import Schema
from schema_registry.language import STORED, Subscription, parse
from schema_registry.language.operator_sentences import Operators
from schema_registry.language.spelling import predicate_text

MOST_PROPOSALS = 12
MOST_VALUES = 4  # of one attribute
_EXISTS = "exists"
_OR = re.compile(r"\bor\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The proposed text; and in words what it leaves out, and whether with all kinds of it."""

    attribute: str
    value: str
    with_kinds: bool
    text: str


def narrowings(
    text: str,
    canonical: str,
    event: Event,
    schema: Schema,
    *,
    operators: Operators | None = None,
    evaluate: Evaluate | None = None,
) -> list[Narrowing]:
    """At most `MOST_PROPOSALS`; first what the search does not speak of. Some ms each, since each is parsed.

    `text` is what the search's owner wrote. Where that no longer says what it did, `canonical` is taken.
    Raises SubscriptionError for a search that calls an operator which is not among `operators`.
    """
    search = parse(canonical, schema, operators=operators, limits=STORED)
    begun = _begun(text, search, schema)
    proposals: list[Narrowing] = []
    for predicate in _leaving_out(event, search, schema):
        if len(proposals) == MOST_PROPOSALS:
            break
        proposed = _proposed(begun, predicate, search, schema)
        if proposed is not None and _is_without(event, proposed, schema, operators, evaluate):
            proposals.append(_in_words(predicate, proposed, schema))
    return proposals


def _begun(text: str, search: Subscription, schema: Schema) -> str:
    """The search as the beginning of a longer text."""
    try:
        # Square brackets stand round the whole or not at all.
        again = parse(text, schema, operators=search.operators)
        is_good = not text.lstrip().startswith("[") and again.canonical == search.canonical
    except SubscriptionError:
        is_good = False
    chosen = text.strip() if is_good else search.canonical
    return f"({chosen})" if _OR.search(chosen) else chosen


def _leaving_out(event: Event, search: Subscription, schema: Schema) -> Iterator[Predicate]:
    """A predicate for each value: names before values from lists, and what the search speaks of last."""
    spoken_of = {each.attribute for conjunction in search.conjunctions for each in conjunction.predicates}
    names = [name for name in event.values if name != EVENT_TYPE and _has_names(schema.domain_of.get(name))]
    for name in sorted(names, key=lambda name: (name in spoken_of, _is_finite(schema.domain_of[name]), name)):
        values = event.values[name]
        for value in values[:MOST_VALUES]:
            yield _leaving_out_value(name, value, schema.domain_of[name], is_only=len(values) == 1)


def _has_names(domain: Domain | None) -> bool:
    return isinstance(domain, StringDomain | FiniteDomain)


def _is_finite(domain: Domain) -> bool:
    return isinstance(domain, FiniteDomain)


def _leaving_out_value(name: str, value: Value, domain: Domain, *, is_only: bool) -> Predicate:
    """Of several values one may be of the kind and another not; then the value itself is left out."""
    has_kinds = isinstance(domain, HierarchicalDomain) and is_only and "<=" in domain.operators
    return Predicate(name, "<=" if has_kinds else "contains", (value,), negated=True)


def _proposed(begun: str, predicate: Predicate, search: Subscription, schema: Schema) -> str | None:
    domain = schema.domain_of[predicate.attribute]
    if predicate.operator not in domain.operators:
        return None
    left_out = predicate_text(predicate, domain)
    if _needs(search, predicate.attribute):
        return f"{begun} and {left_out}"
    if _EXISTS not in domain.operators:
        return None
    return f"{begun} and (not {predicate.attribute} {_EXISTS} or {left_out})"


def _needs(search: Subscription, attribute: str) -> bool:
    """Whether nothing matches that lacks the attribute."""
    return all(
        any(
            each.attribute == attribute and not (each.operator == _EXISTS and each.negated)
            for each in conjunction.predicates
        )
        for conjunction in search.conjunctions
    )


def _is_without(
    event: Event, proposed: str, schema: Schema, operators: Operators | None, evaluate: Evaluate | None
) -> bool:
    try:
        return not parse(proposed, schema, operators=operators).matches(event, evaluate=evaluate)
    except SubscriptionError:  # it would be too long, or nothing would be left
        return False


def _in_words(predicate: Predicate, proposed: str, schema: Schema) -> Narrowing:
    (value,) = map(str, predicate.values)
    domain = schema.domain_of[predicate.attribute]
    label = domain.label(value) if isinstance(domain, FiniteDomain) else value
    has_kinds = isinstance(domain, HierarchicalDomain) and value in domain.forest.parents.values()
    return Narrowing(
        attribute=one_line(attribute_in_words(predicate.attribute), most=LONGEST_VALUE),
        value=one_line(label, most=LONGEST_VALUE),
        with_kinds=has_kinds and predicate.operator == "<=",
        text=proposed,
    )
