"""The program of one conjunction, as `programs` makes them of many: for subscriptions that come singly."""

from math import inf, nextafter
from struct import Struct

from matching.engine.programs import (
    ABSENT,
    EQUAL,
    IN,
    JOINT,
    LACKS,
    NOT,
    NOT_BOTH,
    OPERATORS,
    OUTSIDE,
    PRESENT,
    RANGE,
)
from matching.engine.vocabulary import Attribute, Vocabulary
from schema_registry.core.domains import Value
from schema_registry.core.predicates import Conjunction, Constraint, Predicate
from schema_registry.core.schema import Schema

_DOUBLE, _LONG = Struct("<d"), Struct("<q")

Row = tuple[int, int, int]
_ALONE = {RANGE: RANGE, EQUAL: EQUAL, IN: IN, RANGE + NOT: OUTSIDE}  # what a part is that stands alone


class SingleProgram:
    """Literals, parts and operands; lists begin at the counts given, which is where they will stand."""

    __slots__ = ("_first_operand", "_first_part", "_schema", "_vocabulary", "literals", "operands", "parts")

    def __init__(self, schema: Schema, vocabulary: Vocabulary, *, parts: int, operands: int) -> None:
        self._schema, self._vocabulary = schema, vocabulary
        self._first_part, self._first_operand = parts, operands
        self.literals: list[Row] = []
        self.parts: list[Row] = []
        self.operands: list[int] = []

    def compile(self, conjunction: Conjunction) -> None:
        for constraint in conjunction.constraints:
            attribute = self._vocabulary.attribute(constraint.attribute, self._schema)
            for predicate in constraint.about_set:
                self._about_set(attribute, predicate)
            if constraint.binding:
                self._bind(attribute, constraint)
        self.literals.sort(key=_attribute_of)

    def _about_set(self, attribute: Attribute, predicate: Predicate) -> None:
        if predicate.operator == "exists":
            self._add(attribute, ABSENT if predicate.negated else PRESENT)
        elif predicate.negated:
            self._add(attribute, LACKS, *self._listed(attribute, predicate.values))
        else:
            for value in predicate.values:
                if attribute.is_numeric:
                    bits = _bits(value)
                    self._add(attribute, RANGE, bits, bits)
                else:
                    self._add(attribute, EQUAL, self._vocabulary.atom(attribute, "=", value))

    def _bind(self, attribute: Attribute, constraint: Constraint) -> None:
        parts: list[Row] = []
        low, high = -inf, inf
        for predicate in constraint.binding:
            if attribute.is_numeric and predicate.operator not in ("in", "!=") and not predicate.negated:
                first, last = _range(predicate)
                low, high = max(low, first), min(high, last)
            else:
                parts += self._parts(attribute, predicate)
        if (low, high) != (-inf, inf):
            parts.append((RANGE, _bits(low), _bits(high)))
        if len(parts) == 1 and parts[0][0] in _ALONE:
            kind, a, b = parts[0]
            self._add(attribute, _ALONE[kind], a, b)
        else:
            self._add(attribute, JOINT, self._first_part + len(self.parts), len(parts))
            self.parts += parts

    def _parts(self, attribute: Attribute, predicate: Predicate) -> list[Row]:
        """The parts of a predicate that is no plain range."""
        operator, negated = predicate.operator, predicate.negated
        atom = self._vocabulary.atom
        if operator == "in":
            return [(IN + NOT * negated, *self._listed(attribute, predicate.values))]
        if attribute.is_numeric:
            low, high = _range(predicate)
            return [(RANGE + NOT, _bits(low), _bits(high))]
        if operator == "between":
            low_atom = atom(attribute, ">=", predicate.values[0])
            high_atom = atom(attribute, "<=", predicate.values[1])
            if negated:
                return [(NOT_BOTH, low_atom, high_atom)]
            return [(EQUAL, low_atom, 0), (EQUAL, high_atom, 0)]
        if operator == "!=":
            operator, negated = "=", True
        return [(EQUAL + NOT * negated, atom(attribute, operator, predicate.values[0]), 0)]

    def _listed(self, attribute: Attribute, values: tuple[Value, ...]) -> tuple[int, int]:
        """The values as operands: where they begin, and how many they are."""
        first = self._first_operand + len(self.operands)
        if attribute.is_numeric:
            self.operands += map(_bits, values)
        else:
            self.operands += [self._vocabulary.atom(attribute, "=", value) for value in values]
        return first, len(values)

    def _add(self, attribute: Attribute, operator: int, a: int = 0, b: int = 0) -> None:
        self.literals.append((operator + OPERATORS * attribute.number, a, b))


def _attribute_of(literal: Row) -> int:
    return literal[0] // OPERATORS


def _range(predicate: Predicate) -> tuple[float, float]:
    """The numbers that satisfy the predicate, or, of `!=` and what is negated, those that do not."""
    values = [float(value) for value in predicate.values]
    match predicate.operator:
        case "<":
            return -inf, nextafter(values[0], -inf)
        case "<=":
            return -inf, values[0]
        case ">":
            return nextafter(values[0], inf), inf
        case ">=":
            return values[0], inf
    return values[0], values[-1]


def _bits(value: Value) -> int:
    bits: int = _LONG.unpack(_DOUBLE.pack(float(value) + 0.0))[0]
    return bits
