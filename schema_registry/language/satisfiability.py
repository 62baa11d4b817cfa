"""Whether a conjunction can ever be true, of any event, in any later version of the schema.

A later version may have more event types, attributes, optional attributes of event types, and values of
finite domains; it never changes bounds, takes anything away, or relates two old values anew. So being
unique or in no event type proves nothing, while bounds and mandatory attributes do. Within that, and but
for the cap on the length of strings, the answer is exact:

- numbers and strings: the least value that the lower bounds allow is moved up past every hole it falls
  into, until it fits or passes the upper bounds;
- enumerated and hierarchical values: some constant of the predicates fits, or an ancestor of one, or a
  value that could be added (`_new_value_can_fit`). No other value can fit when none of these does: a value
  strictly between the required bounds could as well be a new one, which has fewer relations.
"""

import operator
from collections.abc import Iterable, Sequence

from schema_registry.core.decimals import LARGEST, next_above
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, HierarchicalDomain, NumericDomain, TextDomain, Value
from schema_registry.core.predicates import Conjunction, Constraint, Predicate, intersection
from schema_registry.core.schema import Schema

_ALONE_POSSIBLE = ("=", "in", "contains", "exists")
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def contradiction(
    conjunction: Conjunction, schema: Schema, decided: dict[Constraint, bool]
) -> tuple[Predicate, ...] | None:
    """The predicates that can never hold together, or None. `decided` is kept from call to call."""
    for constraint in conjunction.constraints:
        predicates = constraint.binding + constraint.about_set
        if len(predicates) == 1 and not predicates[0].negated and predicates[0].operator in _ALONE_POSSIBLE:
            continue
        if constraint not in decided:
            decided[constraint] = can_hold(constraint, schema.domain_of[constraint.attribute])
        if not decided[constraint]:
            return predicates
    return _missing_mandatory(conjunction, schema)


def can_hold(constraint: Constraint, domain: Domain) -> bool:
    """Whether some set of values satisfies everything that is said about one attribute."""
    about_set = constraint.about_set
    if any(predicate.operator == "exists" and predicate.negated for predicate in about_set):
        return not constraint.binding and len(about_set) == 1 and constraint.attribute != EVENT_TYPE
    contains = [predicate for predicate in about_set if predicate.operator == "contains"]
    required = {value for predicate in contains if not predicate.negated for value in predicate.values}
    forbidden = [predicate for predicate in contains if predicate.negated]
    if any(required.issuperset(predicate.values) for predicate in forbidden):
        return False
    if isinstance(domain, TextDomain) or (required and not constraint.binding):
        return True
    excluded = (Predicate(constraint.attribute, "!=", predicate.values) for predicate in forbidden)
    predicates = (*constraint.binding, *excluded)
    return not predicates or _one_value_can_fit(predicates, domain)


def _one_value_can_fit(predicates: Sequence[Predicate], domain: Domain) -> bool:
    positive = [predicate for predicate in predicates if not predicate.negated]
    for predicate in positive:
        if predicate.operator in ("=", "in"):
            return _any_fits(predicate.values, predicates, domain)
    if domain.totally_ordered:
        return _some_ordered_value_fits(predicates, domain)
    above, below = _required_bounds(positive, domain)
    candidates = {*above, *below}
    if below and isinstance(domain, HierarchicalDomain):
        candidates.update(domain.above(str(below[0])))
    return _any_fits(candidates, predicates, domain) or _new_value_can_fit(predicates, above, below, domain)


def _any_fits(candidates: Iterable[Value], predicates: Sequence[Predicate], domain: Domain) -> bool:
    """Whether one of the values satisfies all the predicates; the lists may be long."""
    left = set(candidates)
    for predicate in predicates:
        left = _fitting(left, predicate, domain)
        if not left:
            return False
    return True


def _fitting(values: set[Value], predicate: Predicate, domain: Domain) -> set[Value]:
    """The values that satisfy the predicate: `holds_for` of each, but quicker where that is easy."""
    if predicate.operator in ("=", "!=", "in"):
        inside = predicate.operator != "!=" and not predicate.negated
        return values.intersection(predicate.values) if inside else values.difference(predicate.values)
    if not domain.totally_ordered:
        return {value for value in values if predicate.holds_for(value, domain)}
    if predicate.operator == "between":
        low, high = predicate.values
        return {value for value in values if (low <= value <= high) != predicate.negated}  # type: ignore[operator]
    compare, constant = _COMPARE[predicate.operator], predicate.values[0]
    return {value for value in values if compare(value, constant)}


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


def _required_bounds(positive: Iterable[Predicate], domain: Domain) -> tuple[list[Value], list[Value]]:
    """The constants that a fitting value must be at most, and at least; only those that imply the rest."""
    above: list[Value] = []
    below: list[Value] = []
    for predicate in positive:
        if predicate.operator in ("<", "<=", "between"):
            new = predicate.values[-1]
            if not any(domain.at_most(known, new) for known in above):
                above = [known for known in above if not domain.below(new, known)] + [new]
        if predicate.operator in (">", ">=", "between"):
            new = predicate.values[0]
            if not any(domain.at_most(new, known) for known in below):
                below = [known for known in below if not domain.below(known, new)] + [new]
    return above, below


def _new_value_can_fit(
    predicates: Sequence[Predicate], above: Sequence[Value], below: Sequence[Value], domain: Domain
) -> bool:
    """Whether an administrator could add a value that fits.

    It is put just below the constants it must be below and just above those it must be above, so it has
    no relation beyond what these imply. To a hierarchy only leaves are added.
    """
    if isinstance(domain, HierarchicalDomain) and (below or len(above) > 1):
        return False
    if not all(domain.below(low, high) for low in below for high in above):
        return False

    def is_below(constant: Value) -> bool:
        return any(domain.at_most(high, constant) for high in above)

    def is_above(constant: Value) -> bool:
        return any(domain.at_most(constant, low) for low in below)

    for predicate in predicates:
        if predicate.negated and predicate.operator != "in":
            fits_below = predicate.operator in (">", ">=") or is_below(predicate.values[-1])
            fits_above = predicate.operator in ("<", "<=") or is_above(predicate.values[0])
            if fits_below and fits_above:
                return False
    return True


def _missing_mandatory(conjunction: Conjunction, schema: Schema) -> tuple[Predicate, ...] | None:
    """An event type asked for, and the absence of an attribute that is mandatory for it."""
    predicates = conjunction.predicates
    absent = [each for each in predicates if each.negated and each.operator == "exists"]
    for asked in predicates if absent else ():
        if asked.attribute == EVENT_TYPE and not asked.negated and asked.operator in ("=", "contains"):
            mandatory = schema.mandatory_set(str(asked.values[0]))
            for predicate in absent:
                if predicate.attribute in mandatory:
                    return asked, predicate
    return None
