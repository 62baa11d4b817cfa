"""Subscriptions: parsed, checked, compiled; and the oracle that says which events they match.

`parse` is the way in for every text. `Subscription.matches` is the plain reading of what docs/language.md
says of matching; every matcher is tested against it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from schema_registry.core import operator_meaning
from schema_registry.core.decimals import number_for_json
from schema_registry.core.domains import Value
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.events import Event
from schema_registry.core.numbers import grouped
from schema_registry.core.operator_meaning import Evaluate, Rows
from schema_registry.core.operators import Binding, OperatorDeclaration, OperatorPart, OperatorPredicate
from schema_registry.core.predicates import Conjunction, Constraint, Predicate
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import printable
from schema_registry.language.ast import Expression, Leaf
from schema_registry.language.checker import Checker
from schema_registry.language.diagnostics import error_at
from schema_registry.language.limits import DEFAULT, Limits, check_text
from schema_registry.language.normalise import (
    conjunctions,
    count_conjunctions,
    count_tests,
    leaves,
    normal_form,
)
from schema_registry.language.parser import syntax_tree
from schema_registry.language.satisfiability import Satisfiability
from schema_registry.language.spelling import (
    call_text,
    constraint_text,
    expression_text,
    leaf_text,
    predicate_text,
    value_text,
)
from schema_registry.language.variable_names import with_canonical_names
from schema_registry.language.variables import check_variables

RowsFor = Callable[[OperatorPredicate], Rows | None]


@dataclass(frozen=True, slots=True)
class Held:
    """A predicate that held for an event, and the value (or the values, joined) for which it did.

    The call of an operator comes with the constraints on its own variables; `attribute` is the first that it
    reads, and the value what its variable was bound to, `?km = 12, ?city = 'Lyon'` if there are several. A
    constraint on the variables of several calls comes by itself, without an attribute.
    """

    predicate: str
    attribute: str
    value: int | float | str | None


@dataclass(frozen=True, slots=True, eq=False)
class Subscription:
    """A subscription that can match. Build it with `parse`.

    `expression` is the sorted negation normal form, `conjunctions` its disjunctive form without the branches
    that can never hold; for each of those `warnings` has a sentence. `operators` are those it may call.
    """

    text: str
    canonical: str
    conjunctions: tuple[Conjunction, ...]
    warnings: tuple[str, ...]
    expression: Expression = field(repr=False)
    schema: Schema = field(repr=False)
    operators: Mapping[str, OperatorDeclaration] = field(default_factory=dict, repr=False)

    def matches(self, event: Event, *, evaluate: Evaluate | None = None) -> bool:
        """Whether the event matches: the oracle. O(predicates * values), and what operators take.

        Their functions are called here, one conjunction after the other, and without time limits;
        `evaluate` takes the place of that.
        """
        schema, rows_for = self._judging_schema(event), self._rows_for(event, evaluate)
        return any(
            _holds(conjunction, event, schema) and operator_meaning.holds(conjunction.operators, rows_for)
            for conjunction in self.conjunctions
        )

    def explain(self, event: Event, *, evaluate: Evaluate | None = None) -> list[Held]:
        """Which predicates of the first conjunction that matches held on which values; else an empty list."""
        schema, rows_for = self._judging_schema(event), self._rows_for(event, evaluate)
        for conjunction in self.conjunctions:
            if _holds(conjunction, event, schema):
                binding = operator_meaning.joint_binding(conjunction.operators, rows_for)
                if binding is not None:
                    plain = (_held(constraint, event, schema) for constraint in conjunction.constraints)
                    return [*chain.from_iterable(plain), *_held_by(conjunction.operators, binding)]
        return []

    def _rows_for(self, event: Event, evaluate: Evaluate | None) -> RowsFor:
        if evaluate is not None:
            return lambda predicate: evaluate(predicate, event)
        return lambda predicate: operator_meaning.evaluated(predicate, event, self.operators)

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

    Linear in the text but for the conjunctions, which are capped. `operators` are those that may be called,
    by name. Stored canonical texts are parsed with `limits=STORED`.
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
    known = {} if operators is None else operators  # whose length is not asked: that may import plug-ins
    expression = normal_form(tree, Checker(text, schema, known, asks_operators=limits.asks_operators).leaf)
    if not all(isinstance(leaf, Predicate) for leaf in leaves(expression)):
        check_variables(text, conjunctions(expression), known)
        expression = with_canonical_names(expression, known)
    live, warnings = _live_conjunctions(text, expression, schema)
    canonical = expression_text(expression, schema.domain_of)
    return Subscription(text, canonical, live, warnings, expression, schema, known)


def _live_conjunctions(
    text: str, expression: Expression, schema: Schema
) -> tuple[tuple[Conjunction, ...], tuple[str, ...]]:
    """The conjunctions that can hold, and a warning for each that cannot; SubscriptionError if none can."""
    live: list[Conjunction] = []
    dead: dict[tuple[Leaf, ...], None] = {}
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


def _never(predicates: tuple[Leaf, ...], schema: Schema) -> str:
    texts = (leaf_text(each, schema.domain_of) for each in predicates[:4])
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


def _held_by(part: OperatorPart, binding: Binding) -> list[Held]:
    """The calls and constraints of a part that holds, each with the values of its variables."""
    found = []
    left = list(part.constraints)
    for call in part.calls:
        attribute = call.attributes[0] if call.attributes else ""
        bound = {} if call.negated else {name: binding[name] for name in call.variables}
        own = [each for each in left if each.variables <= bound.keys()]
        left = [each for each in left if each not in own]
        text = " and ".join((call_text(call), *map(constraint_text, own)))
        found.append(Held(text, attribute, _bound_text(bound)))
    for constraint in left:
        bound = {name: binding[name] for name in sorted(constraint.variables)}
        found.append(Held(constraint_text(constraint), "", _bound_text(bound)))
    return found


def _bound_text(bound: Mapping[str, Value]) -> int | float | str | None:
    if len(bound) == 1:
        (value,) = bound.values()
        return number_for_json(value) if isinstance(value, float) else value
    return ", ".join(f"?{name} = {value_text(value)}" for name, value in bound.items()) or None
