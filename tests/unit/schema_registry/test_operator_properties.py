"""Random subscriptions with operators: the oracle against a second reading, and canonical texts.

The second reading shares no code with the first: it has the subscription as it was drawn, writes out its
alternatives, tries every row of every call, and computes terms by itself.
"""

import operator
import random
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.events import Event
from schema_registry.core.operators import Argument, OperatorDeclaration
from schema_registry.language import STORED, Subscription, complete, parse
from schema_registry.language.outline import outline, written
from tests.unit.schema_registry.examples import PAPER_SCHEMA, event

_SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_COMPARATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_RESULTS = {"p": 0, "q": 1, "r": 2}


@dataclass(frozen=True)
class Test:
    __test__ = False
    bound: int


@dataclass(frozen=True)
class Call:
    name: str
    key: str
    variables: tuple[str, ...]


@dataclass(frozen=True)
class Compare:
    left: Any
    comparator: str
    right: Any


@dataclass(frozen=True)
class Join:
    kind: str
    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Not:
    part: Any


Answers = dict[tuple[str, str], Any]


def operators(answers: Answers) -> dict[str, OperatorDeclaration]:
    """p, q and r: they read the title, and answer for a key what is listed, or raise."""

    def answering(name: str) -> Any:
        return lambda titles, key: answers[name, key]

    return {
        name: OperatorDeclaration(
            name,
            (
                Argument("title", "string"),
                Argument("key", "string"),
                *(Argument(f"out{place}", "number", True) for place in range(results)),
            ),
            function=answering(name),
        )
        for name, results in _RESULTS.items()
    }


def random_answers(rng: random.Random) -> Answers:
    answers: Answers = {}
    for name, results in _RESULTS.items():
        for key in "ab":
            rows = [tuple(rng.randint(0, 3) for _ in range(results)) for _ in range(rng.choice([0, 2, 4, 6]))]
            answers[name, key] = (rng.random() < 0.5) if not results else rows
    if rng.random() < 0.5:
        del answers[rng.choice(sorted(answers))]  # raises KeyError
    return answers


def random_search(rng: random.Random) -> Any:
    """Mostly one that gives its variables values, so that it can be parsed."""
    binding = [Call("r", rng.choice("ab"), (rng.choice("xyz"), rng.choice("xyz"))), Call("q", "a", ("z",))]
    binding.append(Call("q", rng.choice("ab"), (rng.choice("xy"),)))
    tree = random_tree(rng, rng.choice([1, 2, 3]))
    return Join("and", (*binding, tree)) if rng.random() < 0.8 else tree


def random_tree(rng: random.Random, depth: int = 3) -> Any:
    if depth == 0 or rng.random() < 0.2:
        return random_leaf(rng)
    if rng.random() < 0.2:
        return Not(random_tree(rng, depth - 1))
    kind = rng.choice(["and", "and", "or"])
    return Join(kind, tuple(random_tree(rng, depth - 1) for _ in range(2)))


def random_leaf(rng: random.Random) -> Any:
    shape = rng.random()
    if shape < 0.2:
        return Test(rng.randint(0, 3))
    if shape < 0.7:
        name = rng.choice("pqqrr")
        return Call(name, rng.choice("ab"), tuple(rng.choice("xyz") for _ in range(_RESULTS[name])))
    return Compare(random_term(rng), rng.choice(sorted(_COMPARATORS)), random_term(rng, with_variable=False))


def random_term(rng: random.Random, *, with_variable: bool = True, depth: int = 2) -> Any:
    if depth == 0 or rng.random() < 0.6:
        return rng.choice("xyz") if with_variable or rng.random() < 0.4 else rng.randint(-1, 4)
    sides = [random_term(rng, with_variable=each, depth=depth - 1) for each in (with_variable, True)]
    rng.shuffle(sides)
    return sides[0], rng.choice("+-*/"), sides[1]


def text_of(tree: Any, rng: random.Random) -> str:
    """As somebody might write it; the order of parts is drawn."""
    match tree:
        case Test(bound):
            return rng.choice([f"price < {bound}", f"not price>={bound}.0"])
        case Call(name, key, variables):
            arguments = ["title", rng.choice([f"'{key}'", f'"{key}"']), *(f"?{each}" for each in variables)]
            return f"{name}({rng.choice([', ', ',']).join(arguments)})"
        case Compare(left, comparator, right):
            return f"{term_text(left)} {comparator} {term_text(right)}"
        case Not(part):
            return f"not ({text_of(part, rng)})"
    parts = [f"({text_of(part, rng)})" for part in tree.parts]
    rng.shuffle(parts)
    return f" {tree.kind} ".join(parts)


def term_text(term: Any) -> str:
    if isinstance(term, tuple):
        return f"({term_text(term[0])} {term[1]} {term_text(term[2])})"
    return f"?{term}" if isinstance(term, str) else str(term)


def alternatives(tree: Any, negated: bool = False) -> list[list[tuple[Any, bool]]]:
    match tree:
        case Not(part):
            return alternatives(part, not negated)
        case Join(kind, parts):
            each = [alternatives(part, negated) for part in parts]
            if (kind == "or") != negated:
                return [branch for branches in each for branch in branches]
            return [[leaf for branch in choice for leaf in branch] for choice in product(*each)]
    return [[(tree, negated)]]


def variables_of(term: Any) -> set[str]:
    if isinstance(term, tuple):
        return variables_of(term[0]) | variables_of(term[2])
    return {term} if isinstance(term, str) else set()


def lacks_values(branch: list[tuple[Any, bool]]) -> bool:
    bound: set[str] = set()
    used: set[str] = set()
    for leaf, negated in branch:
        if isinstance(leaf, Call) and not negated:
            bound.update(leaf.variables)
        elif isinstance(leaf, Compare):
            used |= variables_of(leaf.left) | variables_of(leaf.right)
    return not used <= bound


def rows_of(call: Call, answers: Answers) -> list[dict[str, int]] | None:
    if (call.name, call.key) not in answers:
        return None
    answer = answers[call.name, call.key]
    bindings = []
    for row in [()] if answer is True else answer or []:
        binding: dict[str, int] = {}
        if all(
            binding.setdefault(name, value) == value for name, value in zip(call.variables, row, strict=True)
        ):
            bindings.append(binding)
    return bindings


def computed(term: Any, binding: dict[str, int]) -> float:
    if isinstance(term, tuple):
        return float(_SIGNS[term[1]](computed(term[0], binding), computed(term[2], binding)))
    return float(binding[term] if isinstance(term, str) else term)


def true_of(compare: Compare, negated: bool, binding: dict[str, int]) -> bool:
    comparator = _OPPOSITE[compare.comparator] if negated else compare.comparator
    try:
        return bool(
            _COMPARATORS[comparator](computed(compare.left, binding), computed(compare.right, binding))
        )
    except ZeroDivisionError:
        return False


def branch_holds(branch: list[tuple[Any, bool]], happened: Event, answers: Answers) -> bool:
    tables = []
    for leaf, negated in branch:
        if isinstance(leaf, Test) and (float(happened.values["price"][0]) < leaf.bound) == negated:
            return False
        if isinstance(leaf, Call):
            rows = rows_of(leaf, answers) if "title" in happened.values else None
            if rows is None or bool(rows) == negated:
                return False
            if not negated:
                tables.append(rows)
    for choice in product(*tables):
        binding: dict[str, int] = {}
        agreed = all(
            binding.setdefault(name, value) == value for row in choice for name, value in row.items()
        )
        if agreed and all(true_of(leaf, n, binding) for leaf, n in branch if isinstance(leaf, Compare)):
            return True
    return False


def outcome(text: str, known: dict[str, OperatorDeclaration]) -> Subscription | SubscriptionError:
    try:
        return parse(text, PAPER_SCHEMA, operators=known)
    except SubscriptionError as error:
        return error


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_oracle_agrees_with_the_second_reading_and_canonical_texts_mean_the_same(seed: int) -> None:
    rng = random.Random(seed)
    tree, answers = random_search(rng), random_answers(rng)
    known, text, branches = operators(answers), text_of(tree, rng), alternatives(tree)
    if any(map(lacks_values, branches)):
        with pytest.raises(SubscriptionError, match="gets no value"):
            parse(text, PAPER_SCHEMA, operators=known)
        return
    events = [event(price=price, title=title) for price in (0, 2) for title in ("x", None)]
    expected = [any(branch_holds(branch, each, answers) for branch in branches) for each in events]
    wanted = outcome(text, known)
    if isinstance(wanted, SubscriptionError):
        assert "can never hold" in wanted.message
        assert not any(expected)
        return
    assert [wanted.matches(each) for each in events] == expected
    assert [bool(wanted.explain(each)) for each in events] == expected
    again = parse(wanted.canonical, PAPER_SCHEMA, operators=known, limits=STORED)
    assert again.canonical == wanted.canonical
    assert set(again.conjunctions) == set(wanted.conjunctions)
    assert [again.matches(each) for each in events] == expected
    assert parse(text_of(tree, rng), PAPER_SCHEMA, operators=known).canonical == wanted.canonical
    assert parse(text.replace("?", "?other_"), PAPER_SCHEMA, operators=known).canonical == wanted.canonical
    assert parse(written(outline(text)), PAPER_SCHEMA, operators=known).canonical == wanted.canonical


_PIECES = "price title ( ) [ ] , = < and or not in contains 5 'x' oak ?x ?y + - * / p( q( r( p q"
_GRAMMATICAL = st.lists(st.sampled_from(_PIECES.split()), max_size=40).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(_GRAMMATICAL, st.integers(0, 100))
def test_any_text_parses_or_raises_and_completes(text: str, cursor: int) -> None:
    known = operators({})
    completion = complete(text, cursor, PAPER_SCHEMA, known)
    assert 0 <= completion.start <= completion.end <= cursor
    wanted = outcome(text, known)
    if isinstance(wanted, SubscriptionError):
        assert wanted.message in wanted.pretty()
    else:
        assert parse(wanted.canonical, PAPER_SCHEMA, operators=known).canonical == wanted.canonical
