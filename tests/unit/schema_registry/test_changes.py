"""What publishers and administrators may change, and what is refused."""

import random
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import pytest

from schema_registry.core import administration, extension
from schema_registry.core.administration import Difference
from schema_registry.core.errors import SchemaConflict, SchemaError, UnknownName
from schema_registry.core.orders import PartialOrder
from schema_registry.core.schema import Schema
from schema_registry.language import complete, parse
from tests.unit.schema_registry.examples import PAPER, PAPER_SCHEMA, event


def test_each_extension_yields_the_next_version_and_leaves_the_old_one_alone() -> None:
    colours = {"kind": "enumerated", "values": ["red", "blue"]}
    schema = extension.create_domain(PAPER_SCHEMA, "colours", colours)
    schema = extension.create_attribute(schema, "colour", "colours")
    schema = extension.extend_event_type(schema, "furniture", "colour", multiple=True)
    schema = extension.create_event_type(schema, "lamps", {"colour": ["mandatory", "unique"]})
    assert schema.version == 5
    assert schema.view(["furniture"]).attributes["colour"] == (False, True)
    assert schema.view(["lamps"]).attributes == {"colour": (True, False)}
    assert PAPER_SCHEMA.to_dict() == PAPER
    assert Schema.from_dict(schema.to_dict()).to_dict() == schema.to_dict()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda s: extension.create_domain(s, "money", {"kind": "string"}), SchemaConflict),
        (lambda s: extension.create_domain(s, "event_type", {"kind": "string"}), SchemaError),
        (lambda s: extension.create_domain(s, "new", {"kind": "strnig"}), SchemaError),
        (lambda s: extension.create_attribute(s, "price", "money"), SchemaConflict),
        (lambda s: extension.create_attribute(s, "new", "nothing"), UnknownName),
        (lambda s: extension.create_attribute(s, "event_type", "money"), SchemaError),
        (lambda s: extension.create_attribute(s, "and", "money"), SchemaError),
        (lambda s: extension.extend_event_type(s, "furniture", "price"), SchemaConflict),
        (lambda s: extension.extend_event_type(s, "nothing", "price"), UnknownName),
        (lambda s: extension.extend_event_type(s, "furniture", "nothing"), UnknownName),
        (lambda s: extension.extend_event_type(s, "furniture", "event_type"), SchemaError),
        (lambda s: extension.create_event_type(s, "furniture", {}), SchemaConflict),
        (lambda s: extension.create_event_type(s, "new", {"nothing": ["optional", "unique"]}), UnknownName),
        (lambda s: extension.create_event_type(s, "new", {"price": ["maybe", "unique"]}), SchemaError),
    ],
)
def test_a_change_that_does_not_fit_is_refused(
    change: Callable[[Schema], Schema], error: type[Exception]
) -> None:
    with pytest.raises(error):
        change(PAPER_SCHEMA)


def test_a_new_name_is_kept_in_nfc_so_that_it_cannot_be_taken_twice() -> None:
    schema = extension.create_domain(PAPER_SCHEMA, "cafe\u0301", {"kind": "string"})
    assert "café" in schema.domains
    with pytest.raises(SchemaConflict):
        extension.create_domain(schema, "café", {"kind": "string"})


def test_names_given_in_another_normal_form_are_the_stored_ones() -> None:
    schema = extension.create_domain(
        PAPER_SCHEMA, "the\u0301", {"kind": "enumerated", "values": ["e\u0301t\u00e9"]}
    )
    schema = extension.create_attribute(schema, "tea", "the\u0301")
    schema = extension.create_event_type(schema, "cafe\u0301", {})
    schema = extension.extend_event_type(schema, "cafe\u0301", "tea")
    schema = administration.deprecate(schema, "domains", "the\u0301")
    schema = administration.deprecate(schema, "event_types", "cafe\u0301")
    schema = administration.deprecate_value(schema, "the\u0301", "e\u0301te\u0301")
    assert schema.attributes["tea"] == "thé"
    assert schema.attribute_set("cafe\u0301") == {"tea"}
    assert list(schema.event_types)[-1] == "café"
    assert schema.to_dict()["deprecated"] == {
        "domains": ["thé"],
        "event_types": ["café"],
        "values": {"thé": ["été"]},
    }
    with pytest.raises(SchemaConflict, match="already has the value"):
        administration.add_values(schema, "the\u0301", ["e\u0301te\u0301"])
    with pytest.raises(SchemaConflict, match="stays as it is"):
        administration.add_values(schema, "thé", ["new"], labels={"e\u0301te\u0301": "Summer"})


def test_an_event_type_is_not_extended_beyond_what_a_schema_may_hold() -> None:
    names = [f"a{i}" for i in range(1_001)]
    schema = Schema.from_dict(
        {
            "domains": {"d": {"kind": "string"}},
            "attributes": dict.fromkeys(names, "d"),
            "event_types": {"t": {name: ["optional", "unique"] for name in names[:-2]}},
        }
    )
    full = extension.extend_event_type(schema, "t", names[-2])
    assert Schema.from_dict(full.to_dict()).to_dict() == full.to_dict()
    with pytest.raises(SchemaError, match="at most 1,000 attributes"):
        extension.extend_event_type(full, "t", names[-1])


def test_a_domain_is_not_grown_beyond_what_a_schema_may_hold() -> None:
    chain = {str(i): str(i - 1) if i else None for i in range(1_000)}
    ordered = [str(i) for i in range(2_000)]
    schema = Schema.from_dict(
        {
            "domains": {
                "deep": {"kind": "hierarchical", "values": chain},
                "long": {"kind": "enumerated", "values": ordered, "order": list(pairwise(ordered))},
                "large": {"kind": "enumerated", "values": [str(i) for i in range(200_000)]},
                "pairs": {
                    "kind": "enumerated",
                    "values": ordered,
                    "order": [[ordered[i], ordered[1_000 + j]] for i in range(1_000) for j in range(20)],
                },
            }
        }
    )
    for domain, values, order, why in (
        ("deep", {"new": "999"}, (), "levels deep"),
        ("long", ["new"], [["1999", "new"]], "2,000 values may be put in order"),
        ("large", ["new"], (), "1 to 200,000 values"),
        ("pairs", ["new"], [["new", "1"]], "20,000 pairs"),
        ("long", ["new\u200b"], (), "invisible"),
    ):
        with pytest.raises(SchemaError, match=why):
            administration.add_values(schema, domain, values, order=order)


NONSENSE: Any = "no"


@pytest.mark.parametrize(
    "change",
    [
        lambda s: administration.add_values(s, "period", NONSENSE),
        lambda s: administration.add_values(s, "furniture", NONSENSE),
        lambda s: administration.add_values(s, "period", ["a"], labels=NONSENSE),
        lambda s: extension.extend_event_type(s, "antiques", "material", multiple=NONSENSE),
    ],
)
def test_what_is_not_even_of_the_right_type_is_refused_in_words(change: Callable[[Schema], Schema]) -> None:
    with pytest.raises(SchemaError, match=r"must be|true or false"):
        change(PAPER_SCHEMA)


def test_a_long_order_is_compared_by_meaning_however_it_is_written() -> None:
    values = [str(i) for i in range(2_000)]
    chain = {"kind": "enumerated", "values": values, "order": [list(pair) for pair in pairwise(values)]}
    schema = Schema.from_dict({"domains": {"chain": chain}})
    reordered = {**chain, "order": [["0", "1999"], *reversed(chain["order"])]}
    assert extension.equivalent_domains(schema, reordered) == ["chain"]
    assert extension.equivalent_domains(schema, {**chain, "order": chain["order"][:-1]}) == []


def test_orders_disagree_exactly_where_their_closures_differ() -> None:
    rng = random.Random(6)
    values = list("abcdef")
    pairs = list(combinations(values, 2))
    for _ in range(300):
        one, two = (PartialOrder(rng.sample(pairs, rng.randint(0, 5))) for _ in range(2))
        kept = rng.sample(values, 4)
        differing = [
            (low, high)
            for low in sorted(kept)
            for high in sorted(kept)
            if one.below(low, high) != two.below(low, high)
        ]
        assert one.disagreement(two, kept) == (differing[0] if differing else None)


@pytest.mark.parametrize(
    ("definition", "names"),
    [
        ({"kind": "numeric", "unit": "EUR", "min": 0.0}, ["money"]),
        ({"kind": "numeric", "unit": "USD", "min": 0}, []),
        ({"kind": "string"}, ["name"]),
        ({"kind": "string", "operators": ["="]}, []),
        (
            {
                "kind": "enumerated",
                "values": ["unknown", "XVIII", "XVII", "XVI"],
                "order": [["XVII", "XVIII"], ["XVI", "XVIII"], ["XVI", "XVII"]],
            },
            ["period"],
        ),
        ({"kind": "enumerated", "values": ["unknown", "XVIII", "XVII", "XVI"]}, []),
        ({"kind": "hierarchical", "values": {"chair": None}}, []),
        (PAPER["domains"]["furniture"], ["furniture"]),
    ],
)
def test_domains_that_mean_the_same_are_found_however_they_are_written(
    definition: dict[str, object], names: list[str]
) -> None:
    assert extension.equivalent_domains(PAPER_SCHEMA, definition) == names


def test_values_can_be_added_to_finite_domains() -> None:
    schema = administration.add_values(
        PAPER_SCHEMA, "furniture", {"desk": "table", "bureau": "desk"}, labels={"desk": "Desk"}
    )
    schema = administration.add_values(
        schema, "period", ["XIX", "XX"], order=[["XVIII", "XIX"], ["XIX", "XX"]]
    )
    assert schema.version == 3
    assert schema.domain_of["furniture_category"].below("bureau", "furniture")
    assert schema.domain_of["period"].below("XVI", "XX")
    assert parse("furniture_category = Desk", schema).canonical == "furniture_category = desk"


def test_a_value_may_be_put_between_two_that_are_already_in_order() -> None:
    schema = administration.add_values(
        PAPER_SCHEMA, "period", ["XVIa"], order=[["XVI", "XVIa"], ["XVIa", "XVII"]]
    )
    assert schema.domain_of["period"].below("XVIa", "XVIII")


@pytest.mark.parametrize(
    ("change", "error", "why"),
    [
        (lambda s: administration.add_values(s, "money", ["5"]), SchemaConflict, "no list of values"),
        (lambda s: administration.add_values(s, "nothing", ["5"]), UnknownName, "no domain"),
        (lambda s: administration.add_values(s, "period", ["XVI"]), SchemaConflict, "already has"),
        (lambda s: administration.add_values(s, "period", ["a", "a"]), SchemaError, "twice"),
        (lambda s: administration.add_values(s, "furniture", {"table": None}), SchemaConflict, "already has"),
        (lambda s: administration.add_values(s, "furniture", ["desk"]), SchemaError, "must be an object"),
        (lambda s: administration.add_values(s, "furniture", {"desk": "x"}), SchemaError, "parent of 'desk'"),
        (
            lambda s: administration.add_values(s, "furniture", {"a": None}, order=[["a", "chair"]]),
            SchemaError,
            "by the parents",
        ),
        (
            lambda s: administration.add_values(s, "furniture", {"a": None}, labels={"chair": "Chair"}),
            SchemaConflict,
            "stays as it is",
        ),
        (
            lambda s: administration.add_values(s, "period", ["x"], order=[["unknown", "XVI"]]),
            SchemaConflict,
            "'unknown' below 'XVI'",
        ),
        (
            lambda s: administration.add_values(s, "period", ["x"], order=[["unknown", "x"], ["x", "XVI"]]),
            SchemaConflict,
            "'unknown' below 'XVI'",
        ),
        (
            lambda s: administration.add_values(s, "period", ["x"], order=[["XVIII", "x"], ["x", "XVI"]]),
            SchemaError,
            "cycle",
        ),
    ],
)
def test_an_addition_that_would_change_a_meaning_is_refused(
    change: Callable[[Schema], Schema], error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why):
        change(PAPER_SCHEMA)


def test_deprecated_names_go_on_working_but_are_not_offered() -> None:
    schema = administration.deprecate(PAPER_SCHEMA, "attributes", "price")
    schema = administration.deprecate(schema, "event_types", "anything")
    schema = administration.deprecate_value(schema, "furniture", "chair")
    assert schema.version == 4
    assert parse("price < 5 and furniture_category = chair", schema).matches(
        schema.validate({"event_type": "anything", "price": 3, "furniture_category": "chair"})
    )
    assert "price" not in [offer.text for offer in complete("", 0, schema).offers]
    assert [offer.text for offer in complete("furniture_category = c", 22, schema).offers] == []
    assert [offer.text for offer in complete("event_type = a", 14, schema).offers] == ["antiques"]
    assert Schema.from_dict(schema.to_dict()).to_dict() == schema.to_dict()


def test_a_deprecation_can_be_undone_but_not_repeated() -> None:
    schema = administration.deprecate(PAPER_SCHEMA, "domains", "money")
    with pytest.raises(SchemaConflict, match="already"):
        administration.deprecate(schema, "domains", "money")
    undone = administration.deprecate(schema, "domains", "money", undo=True)
    assert undone.to_dict() == {**PAPER, "version": 3}
    with pytest.raises(SchemaConflict, match="not deprecated"):
        administration.deprecate(undone, "domains", "money", undo=True)
    with pytest.raises(UnknownName):
        administration.deprecate(schema, "domains", "nothing")
    with pytest.raises(UnknownName):
        administration.deprecate_value(schema, "furniture", "nothing")
    with pytest.raises(UnknownName):
        administration.deprecate_value(schema, "money", "5")


def test_duplicate_domains_can_be_merged() -> None:
    schema = extension.create_domain(PAPER_SCHEMA, "euros", {"kind": "numeric", "unit": "EUR", "min": 0})
    schema = extension.create_attribute(schema, "fee", "euros")
    schema = administration.deprecate(schema, "domains", "euros")
    merged = administration.merge_domains(schema, "money", ["euros"])
    assert "euros" not in merged.domains
    assert merged.attributes["fee"] == "money"
    assert Schema.from_dict(merged.to_dict()).to_dict() == merged.to_dict()
    with pytest.raises(SchemaConflict, match="not defined alike"):
        administration.merge_domains(schema, "money", ["count"])
    with pytest.raises(UnknownName):
        administration.merge_domains(schema, "money", ["nothing"])


def test_the_difference_of_two_versions_lists_what_is_new_gone_and_changed() -> None:
    schema = extension.create_attribute(PAPER_SCHEMA, "fee", "money")
    schema = extension.extend_event_type(schema, "antiques", "fee")
    schema = administration.add_values(schema, "furniture", {"desk": "table"})
    assert administration.difference(PAPER_SCHEMA, schema) == [
        Difference("domains", (), (), ("furniture",)),
        Difference("attributes", ("fee",), (), ()),
        Difference("event_types", (), (), ("antiques",)),
    ]
    assert administration.difference(schema, schema) == []


def test_events_of_an_older_version_still_match_after_changes() -> None:
    schema = administration.merge_domains(
        extension.create_domain(PAPER_SCHEMA, "euros", {"kind": "numeric", "unit": "EUR", "min": 0}),
        "euros",
        ["money"],
    )
    assert parse("price < 5", schema).matches(event(price=3))
