"""Whether a conjunction can ever be true, of any event, in any later version of the schema.

A later version may have more event types, attributes, optional attributes of event types, and values of
finite domains; it never changes bounds, takes anything away, or relates two old values anew. So being
unique or in no event type proves nothing, while bounds and mandatory attributes do. Within that, and but
for the cap on the length of strings, the answer is exact:

- with `=` or `in`, one of the values listed fits or none does;
- numbers and strings: the least value that the lower bounds allow is moved up past every hole it falls
  into, until it fits or passes the upper bounds;
- enumerated and hierarchical values: one that is there fits, or one that could be added. To a hierarchy
  only leaves are added, and a value of a hierarchy that must be above another is one of its ancestors.

Of what operators answer nothing is known, so little is said of them: a call that is made and negated, one
on an attribute that must be absent, and bounds of one variable that exclude each other never hold.
"""

from collections.abc import Callable, Sequence

from schema_registry.core.decimals import LARGEST, next_above
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import (
    Domain,
    EnumeratedDomain,
    HierarchicalDomain,
    NumericDomain,
    TextDomain,
    Value,
)
from schema_registry.core.operators import Constant, OperatorPart, ValueConstraint, Variable
from schema_registry.core.predicates import Conjunction, Constraint, Predicate, intersection
from schema_registry.core.schema import Schema
from schema_registry.language.ast import Leaf
from schema_registry.language.candidates import (
    Candidates,
    InEnumeration,
    InHierarchy,
    InTotalOrder,
    OnPath,
)

_ALONE_POSSIBLE = frozenset({"=", "in", "<=", ">=", "contains", "exists"})  # their constant itself fits


class Satisfiability:
    """Decides for one schema. Keep one for all the alternatives of a text: it remembers what they share."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._decided: dict[int, tuple[bool, Constraint]] = {}  # by identity
        self._known: dict[tuple[str, Value | tuple[Value, ...]], Candidates] = {}
        self._mandatory: dict[str, frozenset[str]] = {}

    def contradiction(self, conjunction: Conjunction) -> tuple[Leaf, ...] | None:
        """The predicates, calls or constraints that can never hold together, or None."""
        for constraint in conjunction.constraints:
            predicates = constraint.binding + constraint.about_set
            if len(predicates) == 1 and _is(predicates[0], *_ALONE_POSSIBLE):
                continue
            known = self._decided.get(id(constraint))
            if known is None:
                known = self._decided[id(constraint)] = self.can_hold(constraint), constraint
            if not known[0]:
                return predicates
        if conjunction.operators and (found := _contradictory_operators(conjunction)):
            return found
        return self._missing_mandatory(conjunction)

    def can_hold(self, constraint: Constraint) -> bool:
        """Whether some set of values satisfies everything that is said about one attribute."""
        about_set = constraint.about_set
        if any(predicate.operator == "exists" and predicate.negated for predicate in about_set):
            return not constraint.binding and len(about_set) == 1 and constraint.attribute != EVENT_TYPE
        contains = [predicate for predicate in about_set if predicate.operator == "contains"]
        required = {value for predicate in contains if not predicate.negated for value in predicate.values}
        forbidden = [predicate for predicate in contains if predicate.negated]
        if any(required.issuperset(predicate.values) for predicate in forbidden):
            return False
        domain = self._schema.domain_of[constraint.attribute]
        if isinstance(domain, TextDomain) or (required and not constraint.binding):
            return True
        excluded = (Predicate(constraint.attribute, "!=", predicate.values) for predicate in forbidden)
        predicates = (*constraint.binding, *excluded)
        return not predicates or self._one_value_can_fit(predicates, domain)

    def _one_value_can_fit(self, predicates: Sequence[Predicate], domain: Domain) -> bool:
        attribute = predicates[0].attribute
        listed = next((each.values for each in predicates if _is(each, "=", "in")), ())
        if domain.totally_ordered:
            if not listed:
                return _some_ordered_value_fits(predicates, domain)
            return self._candidates(attribute, listed, lambda: InTotalOrder(listed)).any_fits(predicates)
        above = [each.values[0] for each in predicates if _is(each, ">", ">=", "between")]
        if isinstance(domain, EnumeratedDomain):
            members = self._candidates(attribute, (), lambda: InEnumeration(domain))
            fits = members.any_fits(predicates)
            return fits or (not listed and _new_member_can_fit(predicates, above, members))
        assert isinstance(domain, HierarchicalDomain)
        if listed:
            among = self._candidates(attribute, listed, lambda: InHierarchy(listed, domain))
            return among.any_fits(predicates)
        if above:
            path = self._candidates(attribute, above[0], lambda: OnPath(above[0], domain))
            return path.any_fits(predicates)
        return _some_leaf_can_fit(predicates, domain)

    def _candidates(
        self, attribute: str, which: Value | tuple[Value, ...], make: Callable[[], Candidates]
    ) -> Candidates:
        """The candidates for an attribute, made once for the listed values or the value they begin with."""
        if (attribute, which) not in self._known:
            self._known[attribute, which] = make()
        return self._known[attribute, which]

    def _missing_mandatory(self, conjunction: Conjunction) -> tuple[Predicate, ...] | None:
        """An event type asked for, and the absence of an attribute that is mandatory for it."""
        predicates = conjunction.predicates
        absent = _absent(conjunction)
        for asked in predicates if absent else ():
            if asked.attribute == EVENT_TYPE and _is(asked, "=", "contains"):
                event_type = str(asked.values[0])
                if event_type not in self._mandatory:
                    self._mandatory[event_type] = self._schema.mandatory_set(event_type)
                if not self._mandatory[event_type].isdisjoint(absent):
                    missing = next(name for name in absent if name in self._mandatory[event_type])
                    return asked, absent[missing]
        return None


def _absent(conjunction: Conjunction) -> dict[str, Predicate]:
    """The attributes that must be absent, each with the predicate that says so."""
    predicates = conjunction.predicates
    return {each.attribute: each for each in predicates if each.negated and each.operator == "exists"}


def _is(predicate: Predicate, *operators: str) -> bool:
    return predicate.operator in operators and not predicate.negated


def _some_ordered_value_fits(predicates: Sequence[Predicate], domain: Domain) -> bool:
    """Whether the least value from the lower bound up that is in no hole is within the upper bound."""
    intervals, holes = [], []
    for predicate in predicates:
        interval = predicate.interval
        if interval is not None:
            intervals.append(interval)
        elif predicate.operator == "between":
            holes.append((predicate.values[0], predicate.values[1]))
        else:
            holes += [(value, value) for value in predicate.values]
    bounds = intersection(intervals)
    value = _least(domain) if bounds.low is None else bounds.low
    if bounds.low_open:
        value = _next(value)
    for start, end in sorted(holes):
        if start > value:  # type: ignore[operator]
            break
        if end >= value:  # type: ignore[operator]
            value = _next(end)
    high = _greatest(domain) if bounds.high is None else bounds.high
    return high is None or value < high or (value == high and not bounds.high_open)  # type: ignore[operator]


def _least(domain: Domain) -> Value:
    if isinstance(domain, NumericDomain):
        return -LARGEST if domain.low is None else domain.low
    return ""


def _greatest(domain: Domain) -> Value | None:
    if isinstance(domain, NumericDomain):
        return LARGEST if domain.high is None else domain.high
    return None


def _next(value: Value) -> Value:
    return next_above(value) if isinstance(value, float) else value + "\x01"  # NUL is in no string


def _new_member_can_fit(predicates: Sequence[Predicate], above: Sequence[Value], members: Candidates) -> bool:
    """Whether an administrator could add a value to the enumeration that fits.

    It is put just above the constants it must be above and just below those it must be below, so it has
    no relation beyond what these imply.
    """
    below = [each.values[-1] for each in predicates if _is(each, "<", "<=", "between")]
    lower, upper = members.bits(above), members.bits(below)
    if any(upper & ~members.above(low) for low in above):
        return False
    return not any(
        _is_hole(each, members.at_least(each.values[0]) & lower, members.at_most(each.values[-1]) & upper)
        for each in predicates
        if each.negated
    )


def _some_leaf_can_fit(predicates: Sequence[Predicate], domain: HierarchicalDomain) -> bool:
    """Whether the lowest of the constants it must be below fits, or a leaf that could be added under it."""
    lowest: Value | None = None
    for high in (each.values[0] for each in predicates if _is(each, "<", "<=")):
        if lowest is None or domain.below(high, lowest):
            lowest = high
        elif not domain.at_most(lowest, high):
            return False
    if lowest is not None and all(each.holds_for(lowest, domain) for each in predicates):
        return True
    return not any(
        _is_hole(each, False, lowest is not None and domain.at_most(lowest, each.values[-1]))
        for each in predicates
        if each.negated
    )


def _is_hole(predicate: Predicate, is_above: object, is_below: object) -> bool:
    """Whether the negated predicate excludes a new value that is, or is not, above and below its bounds."""
    return predicate.operator != "in" and bool(
        (is_above or predicate.operator in ("<", "<=")) and (is_below or predicate.operator in (">", ">="))
    )


def _contradictory_operators(conjunction: Conjunction) -> tuple[Leaf, ...]:
    """Calls and constraints that can never hold together, or nothing."""
    part = conjunction.operators
    absent = {
        each.attribute: each for each in conjunction.predicates if each.operator == "exists" and each.negated
    }
    made = {call.predicate: call for call in part.calls if not call.negated}
    for call in part.calls:
        if call.negated and call.predicate in made:
            return made[call.predicate], call
        for attribute in call.attributes:
            if attribute in absent:
                return absent[attribute], call
    return _contradictory_bounds(part)


def _contradictory_bounds(part: OperatorPart) -> tuple[ValueConstraint, ...]:
    bounds: dict[str, list[tuple[ValueConstraint, Predicate]]] = {}
    for each in part.constraints:
        if isinstance(each.left, Variable) and isinstance(each.right, Constant):
            bound = Predicate(each.left.name, each.comparator, (each.right.value,))
            bounds.setdefault(each.left.name, []).append((each, bound))
    for found in bounds.values():
        within = intersection(bound.interval for _, bound in found if bound.interval is not None)
        if within.low is None or within.high is None:
            continue
        is_one_value = within.low == within.high
        excluded = [bound.values[0] for _, bound in found if bound.operator == "!="]
        if (
            within.low > within.high  # type: ignore[operator]
            or (is_one_value and (within.low_open or within.high_open or within.low in excluded))
        ):
            return tuple(each for each, _ in found)
    return ()
