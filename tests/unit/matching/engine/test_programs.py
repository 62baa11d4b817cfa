"""Programs of many conjunctions at once say the same as those of one by one."""

from typing import Any

import numpy as np
import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.engine.programs import (
    IN,
    JOINT,
    LACKS,
    NOT,
    OPERATORS,
    RANGE,
    Programs,
    bits_of,
    joined_programs,
    numbers_of,
    programs_of,
)
from matching.engine.single import SingleProgram
from matching.engine.vocabulary import Vocabulary
from tests.contract.cases import case

Meaning = list[tuple[Any, ...]]


def meaning_of(literals: Any, parts: Any, operands: Any) -> Meaning:
    """Literals with their lists instead of where these stand, in one order; ranges in one part are one."""
    return sorted((literal_meaning(row, parts, operands) for row in literals), key=repr)


def literal_meaning(literal: Any, parts: Any, operands: Any) -> tuple[Any, ...]:
    code, a, b = map(int, literal)
    if code % OPERATORS in (IN, LACKS):
        return code, *sorted(operands[a : a + b])
    if code % OPERATORS == JOINT:
        mine = [tuple(map(int, part)) for part in parts[a : a + b]]
        ranges = np.array([part[1:] for part in mine if part[0] == RANGE]).reshape(-1, 2)
        low, high = numbers_of(ranges[:, 0]), numbers_of(ranges[:, 1])
        bounds = (low.max(), high.min()) if len(ranges) else ()
        others = (part for part in mine if part[0] != RANGE)
        return code, bounds, *sorted((part_meaning(part, operands) for part in others), key=repr)
    return code, a, b


def part_meaning(part: tuple[int, ...], operands: Any) -> tuple[Any, ...]:
    kind, a, b = part
    return (kind, *sorted(operands[a : a + b])) if kind % NOT == IN else (kind, a, b)


def meanings_of(programs: Programs) -> list[Meaning]:
    operands = programs.operand.tolist()
    return [
        meaning_of(programs.literal[first:last], programs.part, operands)
        for first, last in zip(programs.start[:-1], programs.start[1:], strict=True)
    ]


def one_by_one(seed: int, vocabulary: Vocabulary) -> list[Meaning]:
    meanings = []
    for subscription in case(seed).subscriptions:
        for conjunction in subscription.conjunctions:
            program = SingleProgram(subscription.schema, vocabulary, parts=0, operands=0)
            program.compile(conjunction)
            meanings.append(meaning_of(program.literals, program.parts, program.operands))
    return meanings


@pytest.mark.parametrize("seed", range(40))
def test_at_once_is_the_same_as_one_by_one(seed: int) -> None:
    vocabulary = Vocabulary()
    expected = one_by_one(seed, vocabulary)
    columns = SubscriptionColumns.of(enumerate(case(seed).subscriptions))
    assert meanings_of(programs_of(columns, case(seed).schema, vocabulary)) == expected


def test_programs_keep_their_meaning_when_they_are_put_together() -> None:
    for seed in range(20):
        vocabulary, this = Vocabulary(), case(seed)
        halves = [enumerate(this.subscriptions[start::2]) for start in (0, 1)]
        parts = [programs_of(SubscriptionColumns.of(half), this.schema, vocabulary) for half in halves]
        together = meanings_of(joined_programs([*parts, parts[0]]))
        assert together == [meaning for part in (*parts, parts[0]) for meaning in meanings_of(part)]


def test_numbers_survive_as_bits_and_minus_zero_is_zero() -> None:
    numbers = np.array([0.0, -0.0, 1.5, -np.inf, np.inf, 5e-324, np.finfo(np.float64).max])
    assert numbers_of(bits_of(numbers)).tolist() == numbers.tolist()
    assert bits_of(-0.0) == bits_of(0.0) == 0
