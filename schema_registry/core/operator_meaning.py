"""When the operator part of a conjunction holds for an event: plain functions that the oracle and the
matchers share.

What a call gives for an event is *rows*: for each way in which it is true, one value per distinct variable,
in the order of `OperatorCall.variables`. No rows means that it is false. None means that it failed, since the
event lacks an attribute that it reads, or since the operator raised or answered rubbish; then the call is
neither true nor false, so no conjunction that makes it holds, negated or not.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any, TypeAlias

from schema_registry.core.domains import Value
from schema_registry.core.events import Event
from schema_registry.core.operators import (
    Argument,
    Arithmetic,
    Binding,
    Constant,
    OfAttribute,
    OperatorCall,
    OperatorDeclaration,
    OperatorPart,
    OperatorPredicate,
    Term,
    ValueConstraint,
    Variable,
)
from schema_registry.core.text import MAX_TEXT, nfc

Row: TypeAlias = tuple[Value, ...]
Rows: TypeAlias = tuple[Row, ...]
Evaluate: TypeAlias = Callable[[OperatorPredicate, Event], Rows | None]

MOST_ROWS = 1_000
"""Of one answer; as many as an attribute may have values. A longer one is rubbish."""
MOST_STEPS = 20_000
"""Rows that are looked at to join the calls of one conjunction; what takes longer does not hold. Without a
bound, an item with many values could keep a search with many calls busy for ever."""


def evaluated(
    predicate: OperatorPredicate, event: Event, operators: Mapping[str, OperatorDeclaration]
) -> Rows | None:
    """The rows by calling the operator's function here and now, without a time limit; None if it fails."""
    given = arguments_for(predicate, event)
    declaration = operators.get(predicate.operator)
    if given is None or declaration is None or declaration.function is None:
        return None
    try:
        return rows_of(declaration.function(*given), predicate, declaration)
    except Exception:  # whatever a plug-in raises is its own failure
        return None


def arguments_for(predicate: OperatorPredicate, event: Event) -> tuple[Any, ...] | None:
    """What the function is given, place by place; None if the event lacks one of the attributes."""
    given: list[Any] = []
    for argument in predicate.arguments:
        match argument:
            case Constant(value):
                given.append(value)
            case OfAttribute(attribute):
                if attribute not in event.values:
                    return None
                given.append(event.texts.get(attribute, event.values[attribute]))
    return tuple(given)


def rows_of(answer: object, predicate: OperatorPredicate, declaration: OperatorDeclaration) -> Rows | None:
    """What a function answered, as distinct rows in ascending order; None if it is not what was declared.

    Where a variable stands in several places, as in `p(?x, ?x)`, only rows with equal values there count,
    and have the value once. O(rows log rows).
    """
    results = declaration.results
    if isinstance(answer, bool):
        if not answer:
            return ()
        return None if results else ((),)
    if not isinstance(answer, list | tuple | set | frozenset) or len(answer) > MOST_ROWS:
        return None
    numbers = [each for each in predicate.arguments if isinstance(each, int)]
    found: set[Row] = set()
    for raw in answer:
        row = _row(raw, results)
        if row is None:
            return None
        values = dict(zip(numbers, row, strict=True))
        if all(values[number] == value for number, value in zip(numbers, row, strict=True)):
            found.add(tuple(values[number] for number in sorted(values)))
    return tuple(sorted(found, key=_row_key))


def _row(raw: object, results: Sequence[Argument]) -> Row | None:
    if not isinstance(raw, list | tuple) or len(raw) != len(results):
        return None
    row = []
    for value, result in zip(raw, results, strict=True):
        plain = _plain(value)
        if plain is None or result.type not in ("any", "number" if isinstance(plain, float) else "string"):
            return None
        row.append(plain)
    return tuple(row)


def _plain(value: object) -> Value | None:
    """A finite number as a float, a string in NFC; None for what is neither."""
    try:
        if isinstance(value, str):
            return nfc(value, MAX_TEXT)
        if isinstance(value, bool) or not isinstance(value, Real | Decimal):
            return None
        number = float(value) + 0.0  # -0.0 becomes 0.0
    except (OverflowError, ValueError):  # too large an integer, a signalling NaN, half a surrogate pair
        return None
    return number if isfinite(number) else None


def _row_key(row: Row) -> list[tuple[bool, Value]]:
    return [(isinstance(value, str), value) for value in row]


def holds(part: OperatorPart, rows_for: Callable[[OperatorPredicate], Rows | None]) -> bool:
    """Whether the part holds, given the rows of each of its predicates, which are asked for in order."""
    return joint_binding(part, rows_for) is not None


def joint_binding(part: OperatorPart, rows_for: Callable[[OperatorPredicate], Rows | None]) -> Binding | None:
    """Values of all variables with which every call and constraint of the part holds, or None.

    The first in the order of calls and rows. At most `MOST_STEPS`.
    """
    tables: list[tuple[OperatorCall, Rows]] = []
    for call in part.calls:
        rows = rows_for(call.predicate)
        if rows is None or bool(rows) == call.negated:
            return None
        if not call.negated:
            tables.append((call, rows))
    return joined(tables, part.constraints)


def joined(
    tables: Sequence[tuple[OperatorCall, Rows]], constraints: Iterable[ValueConstraint]
) -> Binding | None:
    """One row of each table such that they agree on shared variables and satisfy the constraints, or None.

    Tables that no variable and no constraint connects are joined apart from one another.
    """
    if not all(rows for _, rows in tables):
        return None
    binding: dict[str, Value] = {}
    steps = MOST_STEPS
    for component, own in _components(tables, list(constraints)):
        found, steps = _joined(component, own, steps)
        if found is None:
            return None
        binding |= found
    return binding


def _components(
    tables: Sequence[tuple[OperatorCall, Rows]], constraints: Collection[ValueConstraint]
) -> list[tuple[list[tuple[OperatorCall, Rows]], list[ValueConstraint]]]:
    groups: list[set[str]] = []
    for names in [*(set(call.variables) for call, _ in tables), *(each.variables for each in constraints)]:
        touched = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + [set(names).union(*touched)]
    return [
        (
            [table for table in tables if group.intersection(table[0].variables)],
            [each for each in constraints if group & each.variables],
        )
        for group in groups
    ]


def _joined(
    tables: Sequence[tuple[OperatorCall, Rows]], constraints: Sequence[ValueConstraint], steps: int
) -> tuple[dict[str, Value] | None, int]:
    """The binding, if there is one, and the steps that are left.

    Depth first; a table is looked up by the variables that have values before it, and each constraint is
    tried as soon as its own have.
    """
    places = []
    known: set[str] = set()
    for call, rows in tables:
        shared = [name for name in call.variables if name in known]
        before, known = known, known.union(call.variables)
        due = [each for each in constraints if each.variables <= known and not each.variables <= before]
        places.append((call.variables, shared, _grouped(rows, call.variables, shared), due))
    binding: dict[str, Value] = {}

    def extend(place: int) -> bool:
        nonlocal steps
        if place == len(places):
            return True
        variables, shared, groups, due = places[place]
        for row in groups.get(tuple(binding[name] for name in shared), ()):
            steps -= 1
            if steps < 0:
                break
            binding.update(zip(variables, row, strict=True))
            if all(constraint_holds(each, binding) for each in due) and extend(place + 1):
                return True
        return False

    return (binding if extend(0) else None), steps


def _grouped(rows: Rows, variables: Sequence[str], shared: Sequence[str]) -> dict[Row, list[Row]]:
    """The rows by the values of the shared variables."""
    positions = [variables.index(name) for name in shared]
    groups: dict[Row, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[position] for position in positions), []).append(row)
    return groups


def constraint_holds(constraint: ValueConstraint, binding: Binding) -> bool:
    """Whether it is true of these values, which its variables must have.

    False where a term has no value, or where a number would be compared with a string.
    """
    left, right = value_of(constraint.left, binding), value_of(constraint.right, binding)
    if left is None or right is None or isinstance(left, str) != isinstance(right, str):
        return False
    match constraint.comparator:
        case "=":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right  # type: ignore[operator]
        case "<=":
            return left <= right  # type: ignore[operator]
        case ">":
            return left > right  # type: ignore[operator]
        case ">=":
            return left >= right  # type: ignore[operator]
    raise AssertionError(f"{constraint.comparator} compares nothing")


def value_of(term: Term, binding: Binding) -> Value | None:
    """The value of a term, by doubles; None for a division by zero, an overflow, or a string in a sum."""
    match term:
        case Constant(value):
            return value
        case Variable(name):
            return binding[name]
    left, right = value_of(term.left, binding), value_of(term.right, binding)
    if not isinstance(left, float) or not isinstance(right, float):
        return None
    result = _computed(term, left, right)
    return result if result is not None and isfinite(result) else None


def _computed(term: Arithmetic, left: float, right: float) -> float | None:
    match term.operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right if right else None
    raise AssertionError(f"{term.operator} computes nothing")
