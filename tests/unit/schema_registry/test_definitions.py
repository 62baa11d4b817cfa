"""Domains and schemas from dicts: what is accepted, what is refused and why."""

import pickle
from itertools import pairwise
from typing import Any

import pytest

from schema_registry.core.definitions import identifier, section_name, stored_name
from schema_registry.core.domains import EnumeratedDomain, HierarchicalDomain
from schema_registry.core.errors import SchemaError, UnknownName
from schema_registry.core.schema import Schema
from tests.unit.schema_registry.examples import PAPER, PAPER_SCHEMA, TAXONOMY, finite, schema_with


def test_the_dict_comes_back_and_is_not_shared() -> None:
    document = PAPER_SCHEMA.to_dict()
    assert document == PAPER
    document["domains"]["furniture"]["values"]["lamp"] = None
    assert PAPER_SCHEMA.to_dict() == PAPER


def test_a_schema_is_immutable_and_can_be_pickled() -> None:
    with pytest.raises(AttributeError):
        PAPER_SCHEMA.version = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        PAPER_SCHEMA.domains["x"] = PAPER_SCHEMA.domains["money"]  # type: ignore[index]
    assert pickle.loads(pickle.dumps(PAPER_SCHEMA)).to_dict() == PAPER


def test_nothing_in_a_schema_can_be_changed_from_outside() -> None:
    schema = Schema.from_dict({**PAPER, "domains": {**PAPER["domains"], "labelled": TAXONOMY}})
    hierarchy, enumeration = schema.domains["labelled"], schema.domains["period"]
    assert isinstance(hierarchy, HierarchicalDomain)
    assert isinstance(enumeration, EnumeratedDomain)
    for part in (
        schema.attributes,
        schema.event_types,
        schema.domain_of,
        schema.event_types["furniture"].attributes,
        schema.view(["furniture"]).rules,
        hierarchy.forest.parents,
        hierarchy.identifiers(),
        hierarchy.labels,
        hierarchy.by_label,
        enumeration.members,
        enumeration.order.index,
    ):
        with pytest.raises(TypeError):
            part["hack"] = None  # type: ignore[index]
    assert "hack" not in hierarchy.identifiers()


def test_optional_parts_come_back_but_empty_ones_do_not() -> None:
    definition = {"kind": "numeric", "min": 0.1, "max": 10, "unit": "EUR", "operators": ["<", "="]}
    assert schema_with(definition).to_dict()["domains"]["d"] == definition
    for bare in ({"kind": "enumerated", "values": ["a"]}, {"kind": "hierarchical", "values": {"a": None}}):
        assert schema_with({**bare, "labels": {}}).to_dict()["domains"]["d"] == bare
        assert schema_with({**bare, "labels": None}).to_dict()["domains"]["d"] == bare
    unordered = {"kind": "enumerated", "values": ["a"], "order": []}
    assert schema_with(unordered).to_dict()["domains"]["d"] == {"kind": "enumerated", "values": ["a"]}


@pytest.mark.parametrize(
    ("definition", "why"),
    [
        (None, "must be an object"),
        ({}, "kind is one of"),
        ({"kind": "list"}, "kind is one of"),
        ({"kind": ["numeric"]}, "kind is one of"),
        ({"kind": "numeric", "mim": 1}, "unknown key 'mim'. Did you mean 'min'"),
        ({"kind": "numeric", "min": "1"}, "not a number"),
        ({"kind": "numeric", "min": True}, "not a number"),
        ({"kind": "numeric", "max": float("nan")}, "NaN"),
        ({"kind": "numeric", "min": 2, "max": 1}, "min 2 is above max 1"),
        ({"kind": "numeric", "unit": 3}, "unit must be a string"),
        ({"kind": "numeric", "operators": ["~"]}, "'~' is not an operator"),
        ({"kind": "numeric", "operators": []}, "at least one"),
        ({"kind": "numeric", "operators": ["=", "="]}, "each once"),
        ({"kind": "text", "operators": ["="]}, "'=' is not an operator"),
        ({"kind": "enumerated", "values": ["a"], "operators": ["<"]}, "'<' is not an operator"),
        ({"kind": "enumerated"}, "must be a list"),
        ({"kind": "enumerated", "values": "abc"}, "must be a list"),
        ({"kind": "enumerated", "values": []}, "1 to 200,000"),
        ({"kind": "enumerated", "values": ["a", 1]}, "must be a string"),
        ({"kind": "enumerated", "values": ["a", "a"]}, "'a' is given twice"),
        ({"kind": "enumerated", "values": ["é", "e\u0301"]}, "given twice"),
        ({"kind": "enumerated", "values": [""]}, "must not be empty"),
        ({"kind": "enumerated", "values": [" a"]}, "spaces around"),
        ({"kind": "enumerated", "values": ["a\nb"]}, "control"),
        ({"kind": "enumerated", "values": ["a\u200bb"]}, "invisible"),
        ({"kind": "enumerated", "values": ["a\u202eb"]}, "invisible"),
        ({"kind": "enumerated", "values": ["a\u2028b"]}, "invisible"),
        ({"kind": "enumerated", "values": ["a\u2029b"]}, "invisible"),
        ({"kind": "enumerated", "values": ["a"], "labels": {"a": "b\u200dc"}}, "invisible"),
        ({"kind": "enumerated", "values": ["é"], "labels": {"é": "1", "e\u0301": "2"}}, "labelled twice"),
        ({"kind": "numeric", "unit": "E\u00adUR"}, "invisible"),
        ({"kind": "enumerated", "values": ["a\0"]}, "NUL"),
        ({"kind": "enumerated", "values": ["\ud800"]}, "surrogate"),
        ({"kind": "enumerated", "values": ["a" * 201]}, "201 characters"),
        ({"kind": "enumerated", "values": ["a", "b"], "order": [["a", "c"]]}, "mentions 'c'"),
        ({"kind": "enumerated", "values": ["a", "b"], "order": [["a"]]}, "two values"),
        ({"kind": "enumerated", "values": ["a", "b"], "order": ["ab"]}, "must be a list"),
        ({"kind": "enumerated", "values": ["a", "b"], "order": [["a", "b"], ["a", "b"]]}, "twice"),
        ({"kind": "enumerated", "values": ["a", "b"], "order": [["a", "b"], ["b", "a"]]}, "cycle"),
        ({"kind": "enumerated", "values": ["a"], "order": [["a", "a"]]}, "cycle"),
        ({"kind": "enumerated", "values": ["a"], "labels": {"b": "B"}}, "label for 'b'"),
        ({"kind": "enumerated", "values": ["a"], "labels": {"a": ""}}, "must not be empty"),
        ({"kind": "hierarchical", "values": ["a"]}, "must be an object"),
        ({"kind": "hierarchical", "values": {"a": "b"}}, "parent of 'a', 'b'"),
        ({"kind": "hierarchical", "values": {"a": 1}}, "must be a string"),
        ({"kind": "hierarchical", "values": {"r": None, "a": "b", "b": "a"}}, "cycle"),
        ({"kind": "hierarchical", "values": {"a": "a"}}, "cycle"),
        ({"kind": "hierarchical", "values": {"a": None}, "order": []}, "unknown key 'order'"),
    ],
)
def test_malformed_definitions_are_refused_with_a_reason(definition: Any, why: str) -> None:
    with pytest.raises(SchemaError, match=why):
        schema_with(definition)


def test_bombs_are_refused_by_their_size() -> None:
    with pytest.raises(SchemaError, match="1,000,000"):
        schema_with({"kind": "hierarchical", "values": dict.fromkeys(range(1_000_000))})
    with pytest.raises(SchemaError, match="1,000,000"):
        schema_with({"kind": "enumerated", "values": ["a"] * 1_000_000})
    with pytest.raises(SchemaError, match="20,001"):
        schema_with({"kind": "enumerated", "values": ["a"], "order": [["a", "a"]] * 20_001})
    values = [str(i) for i in range(2_001)]
    with pytest.raises(SchemaError, match="2,000 values may be put in order"):
        schema_with({"kind": "enumerated", "values": values, "order": list(pairwise(values))})
    chain = {str(i): str(i - 1) if i else None for i in range(100_000)}
    with pytest.raises(SchemaError, match="levels deep"):
        schema_with({"kind": "hierarchical", "values": chain})
    ring = {str(i): str((i + 1) % 100_000) for i in range(100_000)}
    with pytest.raises(SchemaError, match="cycle"):
        schema_with({"kind": "hierarchical", "values": ring})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 0}, "positive integer"),
        ({"version": True}, "positive integer"),
        ({"versoin": 1}, "unknown key 'versoin'. Did you mean 'version'"),
        ({"domains": []}, "must be an object"),
        ({"domains": {"event_type": {"kind": "string"}}}, "cannot be defined"),
        ({"domains": {"a/b": {"kind": "string"}}}, "must not contain '/'"),
        ({"domains": {".": {"kind": "string"}}}, "or be '.'"),
        ({"domains": {"a\u202eb": {"kind": "string"}}}, "invisible"),
        ({"domains": {"x" * 9_000_000: {"kind": "strnig"}}}, r"Domain '.{60}': "),
        ({"event_types": {"..": {}}}, "or be '.' or '..'"),
        ({"event_types": {"a\u200bb": {}}}, "invisible"),
        ({"attributes": {"x": "nothing"}}, "no domain 'nothing'"),
        ({"attributes": {"x": None}}, "no domain null"),
        ({"attributes": {"x y": "d"}}, "attribute name"),
        ({"attributes": {"1x": "d"}}, "attribute name"),
        ({"attributes": {"Not": "d"}}, "keyword"),
        ({"attributes": {"event_type": "d"}}, "cannot be defined"),
        ({"event_types": {"t": {"event_type": ["mandatory", "unique"]}}}, "Every event carries"),
        ({"event_types": {"t": {"z": ["mandatory", "unique"]}}}, "no attribute 'z'"),
        ({"event_types": {"t": {"x": ["mandatory"]}}}, "mandatory or optional"),
        ({"event_types": {"t": {"x": ["unique", "mandatory"]}}}, "mandatory or optional"),
        ({"event_types": {"t": ["x"]}}, "must be an object"),
        ({"event_types": {"": {}}}, "must not be empty"),
        ({"deprecated": {"attributes": ["z"]}}, "'z' is marked deprecated"),
        ({"deprecated": {"values": {"d": ["z"]}}}, "'z' is marked deprecated"),
        ({"deprecated": {"things": []}}, "unknown key"),
    ],
)
def test_malformed_schemas_are_refused_with_a_reason(change: dict[str, Any], why: str) -> None:
    document = {
        "domains": {"d": {"kind": "string"}},
        "attributes": {"x": "d"},
        "event_types": {},
        "version": 1,
    }
    with pytest.raises(SchemaError, match=why):
        Schema.from_dict({**document, **change})


def test_names_that_are_the_same_in_nfc_are_the_same_name() -> None:
    string = {"kind": "string"}
    with pytest.raises(SchemaError, match="given twice"):
        Schema.from_dict({"domains": {"café": string, "cafe\u0301": string}})
    with pytest.raises(SchemaError, match="given twice"):
        Schema.from_dict({"event_types": {"café": {}, "cafe\u0301": {}}})
    schema = Schema.from_dict({"domains": {"cafe\u0301": string}, "attributes": {"x": "cafe\u0301"}})
    assert schema.attributes["x"] == "café"


@pytest.mark.parametrize("name", ["x" * 8_000_000, "e" + "\u0301\u0323" * 4_000_000])
def test_a_name_of_megabytes_is_refused_by_its_length_before_anything_else(name: str) -> None:
    for refuse in (section_name, identifier):
        with pytest.raises(SchemaError, match=r"8,000,00\d characters"):
            refuse(name, "a domain")
    assert stored_name(name, {"x"}) is None


def test_deprecated_names_are_kept_in_nfc_too() -> None:
    schema = Schema.from_dict(
        {
            "domains": {"é": {"kind": "enumerated", "values": ["à"]}},
            "event_types": {"è": {}},
            "deprecated": {
                "domains": ["e\u0301"],
                "event_types": ["e\u0300"],
                "values": {"e\u0301": ["a\u0300"]},
            },
        }
    )
    marks = {"domains": ["é"], "event_types": ["è"], "values": {"é": ["à"]}}
    assert schema.to_dict()["deprecated"] == marks


def test_a_reference_to_a_missing_name_is_told_apart() -> None:
    with pytest.raises(UnknownName):
        Schema.from_dict({"attributes": {"x": "nothing"}})


def test_deprecated_names_come_back_in_the_dict() -> None:
    document = {
        **PAPER,
        "deprecated": {
            "attributes": ["title"],
            "event_types": ["anything"],
            "values": {"furniture": ["chair"]},
        },
    }
    assert Schema.from_dict(document).to_dict() == document


def test_an_order_is_the_transitive_closure_of_its_pairs() -> None:
    period = PAPER_SCHEMA.domain_of["period"]
    assert isinstance(period, EnumeratedDomain)
    assert period.below("XVI", "XVIII")
    assert not period.below("XVIII", "XVI")
    assert not period.below("XVI", "XVI")
    assert not period.below("XVI", "unknown")
    assert set(period.above("XVI")) == {"XVII", "XVIII"}
    assert period.above("unknown") == ()


def test_a_hierarchy_knows_ancestors_nearest_first() -> None:
    furniture = PAPER_SCHEMA.domain_of["furniture_category"]
    assert isinstance(furniture, HierarchicalDomain)
    assert furniture.above("dining table") == ("table", "furniture")
    assert furniture.path("dining table") == "furniture > table > dining table"


def test_operators_follow_the_kind_the_order_and_the_restriction() -> None:
    assert schema_with({"kind": "text"}).domain_of["x"].operators == ("contains", "exists")
    unordered = schema_with({"kind": "enumerated", "values": ["a"]}).domain_of["x"]
    assert unordered.operators == ("=", "!=", "in", "contains", "exists")
    restricted = schema_with({"kind": "numeric", "operators": ["<", "="]}).domain_of["x"]
    assert restricted.operators == ("=", "<")


def test_a_large_hierarchy_and_a_large_order_are_fine() -> None:
    tree = {str(i): str((i - 1) // 20) if i else None for i in range(200_000)}
    domain = finite({"kind": "hierarchical", "values": tree})
    assert domain.below("199999", "0")
    values = [str(i) for i in range(2_000)]
    chain = finite(
        {
            "kind": "enumerated",
            "values": values,
            "order": [[a, b] for a, b in pairwise(values)],
        }
    )
    assert chain.below("0", "1999")
    assert not chain.below("1999", "0")
