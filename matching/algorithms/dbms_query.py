"""The condition of paper 003, section 4, made for each event: which rows of predicates does it satisfy?

A row is (attr, op, val). Attributes and operators are numbers; so is a value, since what is no number is
compared by its atom (see `predicate_rows`). For each attribute of the event the condition has one
alternative for every operator, as in the paper; its four operators are eight here, if all are used.
"""

from collections.abc import Container, Sequence

from matching.algorithms.axes import Axes
from matching.algorithms.conjunctions import Truth
from matching.algorithms.dbms_databases import Database
from matching.algorithms.predicate_rows import Operator
from matching.algorithms.vocabulary import Vocabulary

ALWAYS = len(Operator)  # the operator of a row that every event satisfies
NO_ATTRIBUTE = -1


class EventCondition:
    """`text` is the condition in SQL, `arguments` are the numbers for its places.

    It has no alternatives for what no row asks: `used` has the (attribute, operator) of all rows.
    """

    def __init__(
        self,
        truth: Truth,
        vocabulary: Vocabulary,
        axes: Axes,
        used: Container[tuple[int, int]],
        database: Database,
    ) -> None:
        self._database = database
        self._place_of: dict[float, str] = {}
        atoms: dict[int, list[float]] = {}
        for atom, axis in zip(truth.atoms.tolist(), vocabulary.axis_of[truth.atoms].tolist(), strict=True):
            atoms.setdefault(axis, []).append(atom)
        # Even if nobody asks: without it DuckDB tests all rows by `attr` alone first, in twice the time.
        parts = [f"op = {ALWAYS}"]
        for attribute, values in truth.event.values.items():
            axis = vocabulary.axes.get(attribute)
            if axis is None:
                continue
            asked = [operator for operator in Operator if (axis, operator) in used]
            numbers = [float(value) for value in values] if axes.is_number[axis] else []
            tests = [self._test(each, numbers, atoms.get(axis, []), len(values) > 1) for each in asked]
            if any(tests):
                parts.append(f"attr = {axis} and ({' or '.join(test for test in tests if test)})")
        self.text = "\n   or ".join(parts)

    @property
    def arguments(self) -> list[float]:
        return list(self._place_of)

    def _test(
        self, operator: Operator, numbers: Sequence[float], atoms: Sequence[float], several: bool
    ) -> str:
        """By its least value an event satisfies `<`, by its greatest one `>`; of several values, one is
        always another than a given one. Empty if nothing satisfies the operator."""
        test = f"op = {operator:d}"
        match operator:
            case Operator.EQUAL | Operator.IS:
                values = numbers if operator == Operator.EQUAL else atoms
                return f"{test} and val {self._among(values)}" if values else ""
            case Operator.UNEQUAL | Operator.IS_NOT:
                values = numbers if operator == Operator.UNEQUAL else atoms
                return test if several or not values else f"{test} and not val {self._among(values)}"
            case Operator.BELOW:
                return f"{test} and val > {self._place(numbers[0])}"
            case Operator.AT_MOST:
                return f"{test} and val >= {self._place(numbers[0])}"
            case Operator.ABOVE:
                return f"{test} and val < {self._place(numbers[-1])}"
            case Operator.AT_LEAST:
                return f"{test} and val <= {self._place(numbers[-1])}"

    def _among(self, values: Sequence[float]) -> str:
        if len(values) == 1:
            return f"= {self._place(values[0])}"
        return f"in ({', '.join(self._place(value) for value in values)})"

    def _place(self, value: float) -> str:
        """Numbers are handed over rather than spelt, which not every database reads exactly."""
        return self._place_of.setdefault(value, self._database.place(len(self._place_of) + 1))
