"""The examples of the schema browser: each one parses and can match, over any schema."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import OPERATORS, FiniteDomain
from schema_registry.core.schema import Schema
from schema_registry.examples import attribute_example, event_type_example, value_example
from schema_registry.language import parse
from tests.unit.schema_registry.examples import PAPER_SCHEMA, TAXONOMY, schema_with
from tests.unit.schema_registry.strategies import random_schema


def examples(schema: Schema) -> dict[str, str]:
    """All there are, by what they are of; parsing says whether they are valid and can match."""
    found = {name: attribute_example(schema, name) for name in schema.attributes}
    found |= {f"type {name}": event_type_example(schema, name) for name in schema.event_types}
    for name, domain in schema.domain_of.items():
        if isinstance(domain, FiniteDomain):
            found |= {f"{name} {value}": value_example(schema, name, value) for value in domain.identifiers()}
    return {of: text for of, text in found.items() if text is not None}


def test_the_examples_of_the_paper_read_well() -> None:
    found = examples(PAPER_SCHEMA)
    assert found["price"] == "price <= 100"
    assert found["period"] == "period >= XVII"
    assert found["furniture_category"] == "furniture_category <= table"
    assert found["material"] == "material = 'exactly this'"
    assert found["title"] == "title contains 'oak table'"
    assert found["type antiques"] == "event_type = antiques and price <= 100"
    assert found["furniture_category table"] == "furniture_category <= table"
    assert found["furniture_category chair"] == "furniture_category = chair"


@given(st.integers(0, 2**32 - 1))
def test_every_example_parses_and_can_match(seed: int) -> None:
    schema = Schema.from_dict(random_schema(random.Random(seed)))
    found = examples(schema)
    assert found.keys() >= {
        name for name in schema.attributes if schema.domain_of[name].restricted_to is None
    }
    for text in found.values():
        parse(text, schema)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(
    "definition",
    [
        {"kind": "numeric"},
        {"kind": "numeric", "min": 0, "max": 0},
        {"kind": "numeric", "max": 0},
        {"kind": "numeric", "min": 123456789012345},
        {"kind": "numeric", "min": 1.7e308},
        {"kind": "numeric", "max": -1e-307, "min": -1.1e-307},
        {"kind": "numeric", "min": 0, "max": 3e-308},
        {"kind": "string"},
        {"kind": "text"},
        {"kind": "enumerated", "values": ["it's"]},
        {"kind": "enumerated", "values": ["a", "b", "in"], "order": [["a", "b"]]},
        {"kind": "hierarchical", "values": {"not": None, '"': None}},
        TAXONOMY,
    ],
)
def test_a_domain_that_takes_one_operator_only_has_an_example_with_it_or_none(
    operator: str, definition: dict[str, Any]
) -> None:
    if operator not in schema_with(definition).domain_of["x"].operators:
        return
    schema = schema_with({**definition, "operators": [operator]})
    example = attribute_example(schema, "x")
    if example is None:
        assert operator in ("<", ">", "!=")
        assert definition["kind"] in ("hierarchical", "numeric")
    else:
        assert f" {operator}" in example
        parse(example, schema)


def test_deprecated_values_and_attributes_are_not_shown_as_examples() -> None:
    document = {
        **PAPER_SCHEMA.to_dict(),
        "deprecated": {"values": {"furniture": ["table"]}, "attributes": ["price"]},
    }
    schema = Schema.from_dict(document)
    assert attribute_example(schema, "furniture_category") == "furniture_category <= furniture"
    assert event_type_example(schema, "antiques") == "event_type = antiques and period >= XVII"
    assert attribute_example(schema, EVENT_TYPE) == "event_type = antiques"


def test_values_are_named_as_people_know_them_where_that_is_clear() -> None:
    schema = schema_with(TAXONOMY)
    assert value_example(schema, "x", "1") == "x <= Home"
    assert value_example(schema, "x", "3") == "x <= 'Home > Lamps'"
    assert value_example(schema, "x", "7") == "x = '7'", "two values are labelled Desk, and one is at the top"
