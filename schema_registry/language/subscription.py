"""Subscriptions: parsed, checked, compiled; and the oracle that says which events they match.

`parse` is the way in for every text. `Subscription.matches` is the plain reading of what docs/language.md
says of matching; every matcher is tested against it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schema_registry.core.decimals import number_for_json
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.events import Event
from schema_registry.core.numbers import grouped
from schema_registry.core.operators import OperatorDeclaration
from schema_registry.core.predicates import Conjunction, Constraint, Predicate
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import printable
from schema_registry.language.ast import Expression
from schema_registry.language.checker import Checker
from schema_registry.language.diagnostics import error_at
from schema_registry.language.limits import DEFAULT, Limits, check_text
from schema_registry.language.normalise import conjunctions, count_conjunctions, count_tests, normal_form
from schema_registry.language.parser import syntax_tree
from schema_registry.language.satisfiability import Satisfiability
from schema_registry.language.spelling import expression_text, predicate_text


@dataclass(frozen=True, slots=True)
class Held:
    """A predicate that held for an event, and the value (or the values, joined) for which it did."""

    predicate: str
    attribute: str
    value: int | float | str | None


@dataclass(frozen=True, slots=True, eq=False)
class Subscription:
    """A subscription that can match. Build it with `parse`.

    `expression` is the sorted negation normal form, `conjunctions` its disjunctive form without the branches
    that can never hold; for each of those `warnings` has a sentence.
    """

    text: str
    canonical: str
    conjunctions: tuple[Conjunction, ...]
    warnings: tuple[str, ...]
    expression: Expression = field(repr=False)
    schema: Schema = field(repr=False)

    def matches(self, event: Event) -> bool:
        """Whether the event matches: the oracle. O(predicates * values)."""
        schema = self._judging_schema(event)
        return any(_holds(conjunction, event, schema) for conjunction in self.conjunctions)

    def explain(self, event: Event) -> list[Held]:
        """Which predicates of the first conjunction that matches held on which values; else an empty list."""
        schema = self._judging_schema(event)
        for conjunction in self.conjunctions:
            if _holds(conjunction, event, schema):
                return [
                    held
                    for constraint in conjunction.constraints
                    for held in _held(constraint, event, schema)
                ]
        return []

    def _judging_schema(self, event: Event) -> Schema:
        """The later of the two versions: it knows the values of both, and relates old ones as before."""
        return event.schema if event.schema.version > self.schema.version else self.schema


def parse(
    text: str,
    schema: Schema,
    *,
    operators: Mapping[str, OperatorDeclaration] | None = None,
    limits: Limits = DEFAULT,
) -> Subscription:
    """The subscription that the text describes. Raises SubscriptionError.

    Linear in the text but for the conjunctions, which are capped. `operators` are those that may be called;
    calls are not in the language yet. Stored canonical texts are parsed with `limits=STORED`.
    """
    check_text(text, limits)
    tree = syntax_tree(text)
    written = count_tests(tree)
    if written > limits.predicates:
        message = _(
            "A text has at most {most} predicates; this one has {count:,}.",
            most=limits.predicates,
            count=written,
        )
        raise SubscriptionError(message, text=text)
    expanded = count_conjunctions(tree)
    if expanded > limits.conjunctions:
        message = _(
            "Written out as alternatives this gives {count}; the limit is {most}.",
            count=grouped(expanded) if expanded < 10**15 else _("far more"),
            most=limits.conjunctions,
        )
        raise SubscriptionError(message, text=text)
    expression = normal_form(tree, Checker(text, schema).predicate)
    live, warnings = _live_conjunctions(text, expression, schema)
    canonical = expression_text(expression, schema.domain_of)
    return Subscription(text, canonical, live, warnings, expression, schema)


def _live_conjunctions(
    text: str, expression: Expression, schema: Schema
) -> tuple[tuple[Conjunction, ...], tuple[str, ...]]:
    """The conjunctions that can hold, and a warning for each that cannot; SubscriptionError if none can."""
    live: list[Conjunction] = []
    dead: dict[tuple[Predicate, ...], None] = {}
    satisfiability = Satisfiability(schema)
    for conjunction in conjunctions(expression):
        contradictory = satisfiability.contradiction(conjunction)
        if contradictory is None:
            live.append(conjunction)
        else:
            dead[contradictory] = None
    if not live:
        predicates = next(iter(dead))
        start, end = min(each.start for each in predicates), max(each.end for each in predicates)
        raise error_at(text, start, end, f"{_never(predicates, schema)} {_('No event can match.')}")
    return tuple(live), tuple(f"{_never(each, schema)} {_('That alternative is left out.')}" for each in dead)


def _never(predicates: tuple[Predicate, ...], schema: Schema) -> str:
    texts = (predicate_text(each, schema.domain_of[each.attribute]) for each in predicates[:4])
    shown = " and ".join(printable(text) for text in texts)
    if len(predicates) > 4:
        return _("{predicates} and more can never hold at once.", predicates=shown)
    if len(predicates) > 1:
        return _("{predicates} can never hold at once.", predicates=shown)
    return _("{predicate} can never hold.", predicate=shown)


def _holds(conjunction: Conjunction, event: Event, schema: Schema) -> bool:
    return all(
        constraint.holds_for(event.values.get(constraint.attribute), schema.domain_of[constraint.attribute])
        for constraint in conjunction.constraints
    )


def _held(constraint: Constraint, event: Event, schema: Schema) -> list[Held]:
    """The predicates of a constraint that holds, each with its value."""
    attribute = constraint.attribute
    domain = schema.domain_of[attribute]
    values = event.values.get(attribute)
    witness = constraint.witness(values or (), domain)
    found = []
    for predicate in constraint.binding + constraint.about_set:
        value: int | float | str | None
        if predicate.is_binding:
            value = number_for_json(witness) if isinstance(witness, float) else witness
        elif values is None:
            value = None
        elif predicate.operator == "contains" and not predicate.negated:
            value = " ".join(domain.text(each) for each in predicate.values)
        else:
            value = ", ".join(event.texts.get(attribute) or [domain.text(each) for each in values])
        found.append(Held(predicate_text(predicate, domain), attribute, value))
    return found
