"""A conjunction is called dead exactly when no event of this or a later schema version can match it."""

import random
from itertools import combinations

import pytest

from schema_registry.core import administration
from schema_registry.core.decimals import LARGEST, SMALLEST, next_above, number
from schema_registry.core.domains import Domain, FiniteDomain, Value
from schema_registry.core.errors import SchemaError, SubscriptionError
from schema_registry.core.predicates import Conjunction, Predicate
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from schema_registry.language.satisfiability import Satisfiability
from tests.unit.schema_registry.examples import matches, subscription


@pytest.mark.parametrize(
    "text",
    [
        "price < 5 and price > 9",
        "price > 5 and price < 5",
        "price >= 5 and price <= 5 and price != 5",
        "price = 5 and price = 6",
        "price in (5, 6) and price in (7, 8)",
        "price between 6 and 5",
        "price < 0",
        "price > 1 and price < 1.00000000000001",
        "price between 1 and 9 and not price between 0 and 10",
        "price = 5 and not price contains 5",
        "price contains 5 and not price contains 5",
        "price exists and not price exists",
        "price < 5 and not price exists",
        "not event_type exists",
        "event_type = antiques and event_type = furniture",
        "event_type contains furniture and not price exists",
        "material < ''",
        "material > a and material < 'a\x01'",
        "title contains 'omega steel' and not title contains steel",
        "furniture_category < table and furniture_category < chair",
        "furniture_category = table and furniture_category <= chair",
        "furniture_category > furniture",
        "furniture_category <= table and not furniture_category <= furniture",
        "furniture_category between furniture and table",
        "period > XVIII and period < XVI",
        "period > XVI and not period >= XVI",
        "period = XVI and period > unknown",
    ],
)
def test_a_subscription_that_can_never_match_is_an_error(text: str) -> None:
    with pytest.raises(SubscriptionError, match="can never hold"):
        subscription(text)


@pytest.mark.parametrize(
    "text",
    [
        "price contains 5 and price contains 6",  # some event type may allow several values
        "period > XVIII",  # a value may be added above
        "period > XVI and period < XVII",  # or between
        "period < XVI and period < unknown",  # or below both
        "period != XVI and period != XVII and period != XVIII and period != unknown",
        "furniture_category < chair",  # a leaf may be added
        "event_type contains antiques and title exists",  # an attribute may be added to the type
        "furniture_category <= table and not furniture_category < table",
        "furniture_category > 'extending table' and not furniture_category contains table",
        "title contains omega and not title contains 'omega steel'",
        "price >= 5 and price <= 5",
    ],
)
def test_what_a_later_version_may_satisfy_is_accepted(text: str) -> None:
    assert subscription(text).conjunctions


def test_a_dead_branch_among_live_ones_is_dropped_with_a_warning() -> None:
    wanted = subscription("price < 5 and price > 9 or material = oak")
    assert len(wanted.conjunctions) == 1
    assert wanted.warnings == (
        "price < 5 and price > 9 can never hold at once. That alternative is left out.",
    )
    assert wanted.canonical == "material = oak or price < 5 and price > 9"
    assert matches(wanted.text, material="oak", price=7)


def test_the_error_points_at_the_predicates_in_conflict() -> None:
    with pytest.raises(SubscriptionError) as caught:
        subscription("material = oak and price < 5\nand price > 9")
    assert (caught.value.line, caught.value.column) == (1, 20)


def test_the_successor_of_a_decimal_leaves_nothing_between() -> None:
    assert next_above(1.0) == 1.00000000000001
    assert next_above(-1.0) == -0.999999999999999
    assert next_above(0.0) == SMALLEST
    assert next_above(-SMALLEST) == 0.0
    assert next_above(LARGEST) == float("inf")
    rng = random.Random(1)
    for _ in range(2000):
        value = (
            number(float(f"{rng.uniform(-10, 10):.14e}") * 1.0)
            if False
            else number(round(rng.uniform(-9, 9), 14))
        )
        above = next_above(value)
        assert above > value
        assert number(above) == above


def test_random_numeric_and_string_constraints_agree_with_a_search_of_all_relevant_values() -> None:
    rng = random.Random(2)
    schema = Schema.from_dict(
        {
            "domains": {"n": {"kind": "numeric", "min": 0, "max": 3}, "s": {"kind": "string"}},
            "attributes": {"n": "n", "s": "s"},
            "event_types": {},
        }
    )
    numbers: list[Value] = [0.0, 1.0, next_above(1.0), next_above(next_above(1.0)), 2.0, 3.0]
    strings: list[Value] = ["", "\x01", "a", "a\x01", "a\x01\x01", "b"]
    searched: dict[str, list[Value]] = {
        "n": [*numbers, *(next_above(float(each)) for each in numbers[:-1])],
        "s": [f"{each}{tail}" for each in strings for tail in ("", "\x01", "\x01\x01", "~")],
    }
    satisfiability = Satisfiability(schema)
    for _ in range(3000):
        name = rng.choice("ns")
        constants = numbers if name == "n" else strings
        predicates = [
            _random_predicate(rng, name, constants, schema.domain_of[name]) for _ in range(rng.randint(1, 4))
        ]
        (constraint,) = Conjunction.of(predicates).constraints
        found = any(
            constraint.witness([value], schema.domain_of[name]) is not None for value in searched[name]
        )
        assert satisfiability.can_hold(constraint) == found, predicates


def test_random_constraints_on_finite_domains_agree_with_trying_every_value_that_could_be_added() -> None:
    rng = random.Random(3)
    for _ in range(40):
        schema = _small_schema(rng)
        grown = [schema, *_grown_by_one_value(schema)]
        satisfiability = Satisfiability(schema)
        for _ in range(25):
            name = rng.choice(["tree", "partial"])
            domain = schema.domain_of[name]
            constants = values_of(schema, name)
            predicates = [_random_predicate(rng, name, constants, domain) for _ in range(rng.randint(1, 4))]
            (constraint,) = Conjunction.of(predicates).constraints
            found = any(
                constraint.witness(values_of(later, name), later.domain_of[name]) is not None
                for later in grown
            )
            assert satisfiability.can_hold(constraint) == found, (schema.to_dict(), predicates)


def test_random_constraints_on_larger_hierarchies_agree_with_trying_every_leaf_that_could_be_added() -> None:
    rng = random.Random(8)
    for _ in range(40):
        names = [str(i) for i in range(rng.randint(5, 15))]
        parents = {name: rng.choice([None, *names[:i][-3:]]) for i, name in enumerate(names)}
        schema = Schema.from_dict(
            {"domains": {"d": {"kind": "hierarchical", "values": parents}}, "attributes": {"tree": "d"}}
        )
        leaves = {f"new under {parent}": parent for parent in [None, *names]}
        grown = administration.add_values(schema, "d", leaves)
        satisfiability = Satisfiability(schema)
        for _ in range(100):
            constants: list[Value] = list(names)
            predicates = [
                _random_predicate(rng, "tree", constants, schema.domain_of["tree"])
                for _ in range(rng.randint(1, 6))
            ]
            (constraint,) = Conjunction.of(predicates).constraints
            found = constraint.witness(values_of(grown, "tree"), grown.domain_of["tree"]) is not None
            assert satisfiability.can_hold(constraint) == found, (parents, predicates)


def values_of(schema: Schema, name: str) -> list[Value]:
    domain = schema.domain_of[name]
    assert isinstance(domain, FiniteDomain)
    return list(domain.identifiers())


def _random_predicate(rng: random.Random, name: str, constants: list[Value], domain: Domain) -> Predicate:
    operator = rng.choice([op for op in domain.operators if op not in ("contains", "exists")])
    count = {"in": rng.randint(1, 3), "between": 2}.get(operator, 1)
    values = tuple(rng.choice(constants) for _ in range(count))
    if operator == "in":
        values = tuple(sorted(set(values)))
    predicate = Predicate(name, operator, values)
    return predicate.negation(domain) if rng.random() < 0.5 else predicate


def _small_schema(rng: random.Random) -> Schema:
    values = ["a", "b", "c", "d"][: rng.randint(2, 4)]
    pairs = [list(pair) for pair in combinations(values, 2)]
    return Schema.from_dict(
        {
            "domains": {
                "tree": {
                    "kind": "hierarchical",
                    "values": {value: rng.choice([None, *values[:i]]) for i, value in enumerate(values)},
                },
                "partial": {
                    "kind": "enumerated",
                    "values": values,
                    "order": rng.sample(pairs, rng.randint(1, min(3, len(pairs)))),
                },
            },
            "attributes": {"tree": "tree", "partial": "partial"},
            "event_types": {},
        }
    )


def _grown_by_one_value(schema: Schema) -> list[Schema]:
    """Every later version with one more value that an administrator is allowed to make."""
    tree = [str(value) for value in values_of(schema, "tree")]
    grown = [administration.add_values(schema, "tree", {"new": parent}) for parent in [None, *tree]]
    for count in range(3 ** len(tree)):
        digits = [count // 3**i % 3 for i in range(len(tree))]
        pairs = [[v, "new"] for v, digit in zip(tree, digits, strict=True) if digit == 1]
        pairs += [["new", v] for v, digit in zip(tree, digits, strict=True) if digit == 2]
        try:
            grown.append(administration.add_values(schema, "partial", ["new"], order=pairs))
        except SchemaError:
            continue
    return grown


def test_growth_never_brings_a_dead_subscription_to_life_by_parsing_again() -> None:
    schema = _small_schema(random.Random(4))
    for later in _grown_by_one_value(schema):
        with pytest.raises(SubscriptionError):
            parse("tree = a and tree = b", later)
