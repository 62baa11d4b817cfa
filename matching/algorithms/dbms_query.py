"""The condition of paper 003, section 4, made for each event: which rows of predicates does it satisfy?

A row is (attr, op, val). Attributes and operators are numbers; so is a value, since what is no number is
compared by its atom (see `predicate_rows`). For each attribute of the event the condition has one
alternative for every operator, as in the paper; its four operators are eight here.
"""

from collections.abc import Iterator, Sequence

from matching.algorithms.axes import Axes
from matching.algorithms.conjunctions import Truth
from matching.algorithms.dbms_databases import Database
from matching.algorithms.predicate_rows import Operator
from matching.algorithms.vocabulary import Vocabulary

ALWAYS = len(Operator)  # the operator of a row that every event satisfies
NO_ATTRIBUTE = -1


class EventCondition:
    """`text` is the condition in SQL, `arguments` are the numbers for its places."""

    def __init__(self, truth: Truth, vocabulary: Vocabulary, axes: Axes, database: Database) -> None:
        self._database = database
        self._place_of: dict[float, str] = {}
        atoms: dict[int, list[float]] = {}
        for atom, axis in zip(truth.atoms.tolist(), vocabulary.axis_of[truth.atoms].tolist(), strict=True):
            atoms.setdefault(axis, []).append(atom)
        parts = [f"op = {ALWAYS}"]
        for attribute, values in truth.event.values.items():
            axis = vocabulary.axes.get(attribute)
            if axis is not None:
                alternatives = list(self._of_atoms(atoms.get(axis, []), several=len(values) > 1))
                if axes.is_number[axis]:
                    alternatives += self._of_numbers([float(value) for value in values])
                parts.append(f"attr = {axis} and ({' or '.join(alternatives)})")
        self.text = "\n   or ".join(parts)

    @property
    def arguments(self) -> list[float]:
        return list(self._place_of)

    def _of_atoms(self, atoms: Sequence[float], *, several: bool) -> Iterator[str]:
        if atoms:
            yield f"op = {Operator.IS:d} and val in ({self._places(atoms)})"
        yield from self._unless(Operator.IS_NOT, atoms, several)

    def _of_numbers(self, values: Sequence[float]) -> Iterator[str]:
        """By its least value an event satisfies `<`, by its greatest one `>`."""
        least, greatest = self._places(values[:1]), self._places(values[-1:])
        yield f"op = {Operator.EQUAL:d} and val in ({self._places(values)})"
        yield from self._unless(Operator.UNEQUAL, values, len(values) > 1)
        yield f"op = {Operator.BELOW:d} and val > {least}"
        yield f"op = {Operator.AT_MOST:d} and val >= {least}"
        yield f"op = {Operator.ABOVE:d} and val < {greatest}"
        yield f"op = {Operator.AT_LEAST:d} and val <= {greatest}"

    def _unless(self, operator: Operator, values: Sequence[float], several: bool) -> Iterator[str]:
        """Of several values, one is always another."""
        others = "" if several or not values else f" and val not in ({self._places(values)})"
        yield f"op = {operator:d}{others}"

    def _places(self, values: Sequence[float]) -> str:
        """Numbers are handed over rather than spelt, which not every database reads exactly."""
        for value in values:
            self._place_of.setdefault(value, self._database.place(len(self._place_of) + 1))
        return ", ".join(self._place_of[value] for value in values)
