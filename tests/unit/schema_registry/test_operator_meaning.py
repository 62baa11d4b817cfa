"""When calls and constraints hold, plainly."""

from decimal import Decimal
from typing import Any

import pytest

from schema_registry.core.events import Event
from schema_registry.core.operator_meaning import MOST_ROWS, Rows, joined, rows_of
from schema_registry.core.operators import (
    Argument,
    OperatorCall,
    OperatorDeclaration,
    OperatorPredicate,
    Variable,
)
from schema_registry.language.subscription import Held
from tests.unit.schema_registry.examples import event
from tests.unit.schema_registry.operators import asking, matches

_TWO = OperatorDeclaration("two", (Argument("x", "any", True), Argument("y", "any", True)))
_NUMBER = OperatorDeclaration("number", (Argument("x", "number", True),))
_TRUTH = OperatorDeclaration("truth", ())


def test_one_row_must_satisfy_the_constraint() -> None:
    near = "distance(material, 'Lyon', ?km) and ?km < 50"
    assert matches(near, material=["Paris", "Vienne"])
    assert not matches(near, material=["Paris"])
    assert not matches(near, material=["Rome"])


def test_the_bindings_of_several_calls_are_joined() -> None:
    both = "distance(material, 'Lyon', ?a) and distance(material, 'Paris', ?b) and ?b > 10 * ?a"
    assert matches(both, material="Vienne")
    assert not matches(both, material="Paris")
    shared = "pairs(price, quantity, ?x, ?y) and pairs(quantity, price, ?x, ?z) and ?z > ?y"
    assert matches(shared, price=[2, 7], quantity=[2, 5])
    assert not matches(shared, price=[7], quantity=[5])


def test_a_repeated_variable_asks_for_equal_values() -> None:
    assert matches("pairs(price, quantity, ?x, ?x)", price=[1, 2], quantity=[2, 3])
    assert not matches("pairs(price, quantity, ?x, ?x)", price=[1, 2], quantity=[3])
    assert matches("pairs(price, quantity, ?x, ?y)", price=[1, 2], quantity=[3])
    assert matches("not pairs(price, quantity, ?x, ?x)", price=[1, 2], quantity=[3])


def test_constraints_of_one_conjunction_hold_for_one_binding() -> None:
    text = "distance(material, 'Lyon', ?km) and ?km > 20 and ?km < 300"
    assert matches(text, material=["Lyon", "Vienne", "Paris"])
    assert not matches(text, material=["Lyon", "Paris"])
    assert matches("pairs(price, quantity, ?x, ?y) and ?x > 5 and ?y > 5", price=[1, 7], quantity=[1, 7])


def test_an_attribute_that_the_event_lacks_makes_a_call_false_negated_or_not() -> None:
    assert not matches("is_long(title, 3)", price=1)
    assert not matches("not is_long(title, 3)", price=1)
    assert matches("not is_long(title, 30)", title="a lamp")


def test_a_text_is_given_as_its_strings() -> None:
    assert matches("letters(title, ?n, ?first) and ?n = 9 and ?first = 'O'", title="Old, lamp")
    assert matches("letters(title, ?n, ?first) and ?n = 3 and ?first = '!'", title="!!!")


def test_an_operator_that_raises_makes_its_call_false_negated_or_not() -> None:
    assert not matches("broken(price)", price=1)
    assert not matches("not broken(price)", price=1)
    assert matches("broken(price) or price = 1", price=1)


def test_operators_are_not_called_where_the_cheap_part_is_false() -> None:
    asked: list[OperatorPredicate] = []

    def evaluate(predicate: OperatorPredicate, happened: Event) -> Rows | None:
        asked.append(predicate)
        return ((),)

    wanted = asking("price < 5 and is_long(title, 5)")
    assert not wanted.matches(event(price=7, title="x"), evaluate=evaluate)
    assert asked == []
    assert wanted.matches(event(price=3, title="x"), evaluate=evaluate)
    assert asked == [wanted.conjunctions[0].operators.calls[0].predicate]


@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        ("?x / (?x - 3) > 0", False),
        ("not ?x / (?x - 3) > 0", False),
        ("?x * 1e300 * 1e300 > 1", False),
        ("(?x + 1) * 2 = 8", True),
        ("?x + 1 * 2 = 5", True),
        ("?x - 1 - 1 = 1", True),
        ("?x - (1 - 1) = 3", True),
        ("not ?x > 3", True),
        ("?x != 3", False),
    ],
)
def test_terms_are_computed_as_people_do(constraint: str, holds: bool) -> None:
    assert matches(f"anything(price, ?x) and {constraint}", price=3) == holds


def test_a_number_and_a_string_are_never_compared() -> None:
    for comparator in ("=", "!=", "<", ">="):
        assert not matches(f"anything(material, ?x) and ?x {comparator} 5", material="oak")
        assert not matches(f"anything(price, ?x) and ?x {comparator} 'oak'", price=5)
    assert not matches("anything(material, ?x) and ?x + 1 > 0", material="oak")


def test_a_negation_of_a_whole_is_pushed_to_the_leaves() -> None:
    text = "distance(material, 'Lyon', ?km) and not (?km < 50 or price < 3)"
    assert matches(text, material="Paris", price=5)
    assert not matches(text, material="Vienne", price=5)
    assert not matches(text, material="Paris", price=2)
    assert not matches(text, material="Paris")


def test_explain_tells_the_values_that_variables_took() -> None:
    wanted = asking(
        "price < 9 and distance(material, 'Lyon', ?km) and ?km < 50 and letters(title, ?n, ?first)"
        " and not is_long(title, 30)"
    )
    happened = event(price=5, material=["Paris", "Vienne"], title="lamp")
    assert wanted.explain(happened) == [
        Held("price < 9", "price", 5),
        Held("distance(material, 'Lyon', ?km) and ?km < 50", "material", 27),
        Held("not is_long(title, 30)", "title", None),
        Held("letters(title, ?count, ?first)", "title", "?count = 4, ?first = 'l'"),
    ]
    assert wanted.explain(event(price=5, material="Paris", title="lamp")) == []


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        (False, ()),
        ([], ()),
        ([(2, "b"), (1, "a"), [1.0, "a"]], ((1.0, "a"), (2.0, "b"))),
        ({(Decimal("0.5"), -0.0)}, ((0.5, 0.0),)),
        ([("e\u0301", 1)], (("é", 1.0),)),
        (True, None),
        (None, None),
        ("ab", None),
        ([1, 2], None),
        ([(1,)], None),
        ([(1, 2, 3)], None),
        ([(1, None)], None),
        ([(1, True)], None),
        ([(1, float("nan"))], None),
        ([(1, float("inf"))], None),
        ([(1, 10**400)], None),
        ([(1, b"x")], None),
        ([(1, "\ud800")], None),
        ([(1, number) for number in range(MOST_ROWS + 1)], None),
        ({1: 2}, None),
    ],
)
def test_an_answer_is_rows_or_rubbish(answer: Any, rows: Rows | None) -> None:
    assert rows_of(answer, OperatorPredicate("two", (0, 1)), _TWO) == rows


def test_rows_have_each_distinct_variable_once() -> None:
    assert rows_of([(1, 2), (3, 3)], OperatorPredicate("two", (0, 0)), _TWO) == ((3.0,),)
    assert rows_of([(1, 2)], OperatorPredicate("two", (0, 0)), _TWO) == ()
    assert rows_of([(1, 2), (3,)], OperatorPredicate("two", (0, 0)), _TWO) is None


def test_rows_are_of_the_declared_types() -> None:
    assert rows_of([("x",)], OperatorPredicate("number", (0,)), _NUMBER) is None
    assert rows_of([(1,)], OperatorPredicate("number", (0,)), _NUMBER) == ((1.0,),)
    assert rows_of(True, OperatorPredicate("truth", ()), _TRUTH) == ((),)
    assert rows_of([()], OperatorPredicate("truth", ()), _TRUTH) == ((),)


def test_a_join_that_would_not_end_does_not_hold() -> None:
    rows: Rows = tuple((float(number),) for number in range(MOST_ROWS))
    tables = [(OperatorCall("p", (Variable(f"x{number}"),)), rows) for number in range(6)]
    assert joined(tables, ()) is not None, "calls that nothing connects are joined apart"
    (conjunction,) = asking(
        "anything(price, ?a) and anything(price, ?b) and anything(price, ?c) and ?a + ?b + ?c < 0"
    ).conjunctions
    calls, constraints = conjunction.operators.calls, conjunction.operators.constraints
    assert joined([(call, rows) for call in calls], constraints) is None
