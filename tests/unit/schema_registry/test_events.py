"""Views and events: the paper's example, and rules R1, R2 and R3."""

import pickle
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from schema_registry.core.errors import InvalidEvent, SchemaError, UnknownName, Violation
from schema_registry.core.json_schema import json_schema
from schema_registry.core.schema import Schema
from tests.unit.schema_registry.examples import PAPER_SCHEMA

E1: dict[str, Any] = {
    "event_type": ["antiques", "furniture"],
    "price": 200,
    "quantity": 2,
    "period": "XVI",
    "furniture_category": "table",
}
E2: dict[str, Any] = {
    "event_type": ["antiques", "furniture"],
    "price": 100,
    "quantity": 1,
    "period": "XVIII",
}


def violations(document: Any, **options: Any) -> list[Violation]:
    with pytest.raises(InvalidEvent) as caught:
        PAPER_SCHEMA.validate(document, **options)
    return caught.value.errors


def rules(document: Any, **options: Any) -> list[tuple[str, str]]:
    return [(error.rule, error.attribute) for error in violations(document, **options)]


def test_event_types_answer_with_their_sets() -> None:
    furniture = PAPER_SCHEMA.event_types["furniture"]
    assert furniture.attribute_set == {"price", "quantity", "furniture_category", "material"}
    assert furniture.mandatory_set == {"price", "quantity", "furniture_category"}
    assert PAPER_SCHEMA.mandatory_set("furniture") == furniture.mandatory_set
    assert PAPER_SCHEMA.attribute_set("antiques") == {"price", "period", "quantity"}
    assert PAPER_SCHEMA.unique_set("anything") == frozenset()
    with pytest.raises(UnknownName, match="Did you mean 'furniture'"):
        PAPER_SCHEMA.attribute_set("furnitur")


def test_the_largest_view_has_all_the_attributes_of_its_types() -> None:
    view = PAPER_SCHEMA.view({"antiques", "furniture"})
    assert view.attributes == {
        "price": (True, False),
        "quantity": (True, False),
        "period": (True, False),
        "furniture_category": (True, False),
        "material": (False, False),
    }


def test_where_types_disagree_mandatory_and_multiple_win() -> None:
    assert PAPER_SCHEMA.view({"furniture", "anything"}).attributes["price"] == (True, True)
    assert PAPER_SCHEMA.view({"furniture", "anything"}).attributes["material"] == (False, True)


def test_a_smaller_view_keeps_every_mandatory_attribute() -> None:
    view = PAPER_SCHEMA.view(["furniture"], ["price", "quantity", "furniture_category"])
    assert set(view.attributes) == {"price", "quantity", "furniture_category"}
    with pytest.raises(SchemaError, match="lacks quantity"):
        PAPER_SCHEMA.view(["furniture"], ["price", "furniture_category"])
    with pytest.raises(UnknownName, match="'period' is not an attribute of furniture"):
        PAPER_SCHEMA.view(["furniture"], ["price", "quantity", "furniture_category", "period"])
    with pytest.raises(SchemaError, match="at least one"):
        PAPER_SCHEMA.view([])


def test_the_papers_first_event_is_valid() -> None:
    event = PAPER_SCHEMA.validate(E1)
    assert event.event_types == {"antiques", "furniture"}
    assert event.values["price"] == (200.0,)
    assert event.schema_version == 1
    assert event.to_dict() == E1


def test_the_papers_second_event_violates_r2_only() -> None:
    (error,) = violations(E2)
    assert (error.rule, error.attribute) == ("R2", "furniture_category")
    assert error.message == "furniture_category is mandatory for furniture and has no value."


@pytest.mark.parametrize("missing", [{}, {"event_type": None}, {"event_type": []}])
def test_r1_an_event_names_its_types(missing: dict[str, Any]) -> None:
    assert rules({"price": 1, **missing}) == [("R1", "event_type")]


def test_r1_every_type_exists() -> None:
    (error, *_) = violations({**E1, "event_type": ["antiques", "furnitur"]})
    assert (error.rule, error.suggestion) == ("R1", "furniture")
    assert error.message == "There is no event type 'furnitur'. Did you mean 'furniture'?"


def test_r1_an_event_has_exactly_the_types_of_the_view() -> None:
    view = PAPER_SCHEMA.view(["antiques"])
    document = {"event_type": ["antiques", "anything"], "price": 1, "period": "XVI", "quantity": 1}
    assert rules(document, view=view) == [("R1", "event_type")]
    assert PAPER_SCHEMA.validate({**document, "event_type": "antiques"}, view=view)


@pytest.mark.parametrize(
    "value", ["200", True, None, [], -1, 1e400, float("nan"), 0.1234567890123456, {}, [[1]]]
)
def test_r2_a_mandatory_value_lies_in_its_domain(value: Any) -> None:
    assert rules({**E1, "price": value}) == [("R2", "price")]


def test_r2_a_unique_attribute_has_one_value_after_duplicates_collapse() -> None:
    assert PAPER_SCHEMA.validate({**E1, "price": [200, 200.0]}).values["price"] == (200.0,)
    (error,) = violations({**E1, "price": [200, 300]})
    assert (error.rule, error.message) == ("R2", "price takes one value; it has 2.")


def test_r2_repeated_values_count_once_also_when_they_are_wrong() -> None:
    assert [error.message for error in violations({**E1, "price": ["x", "x"]})] == [
        "price: 'x' is not a number."
    ]
    assert [error.message for error in violations({**E1, "price": [-1, -1, 5, 5.0]})] == [
        "price: -1 is not at least 0.",
        "price takes one value; it has 2.",
    ]
    assert len(violations({**E1, "price": [[1], [1], {}]})) == 4


def test_r2_null_inside_a_list_is_no_value() -> None:
    assert rules({"event_type": "anything", "price": [1, None]}) == [("R2", "price")]


def test_r2_names_the_nearest_value() -> None:
    (error,) = violations({**E1, "furniture_category": "tabel"})
    assert error.suggestion == "table"


def test_r3_nothing_else_occurs() -> None:
    errors = violations({**E1, "title": "A table", "materail": "oak"})
    assert [(error.rule, error.attribute, error.suggestion) for error in errors] == [
        ("R3", "title", None),
        ("R3", "materail", "material"),
    ]


def test_r3_holds_for_a_smaller_view_too() -> None:
    view = PAPER_SCHEMA.view(["furniture"], ["price", "quantity", "furniture_category"])
    document = {"event_type": "furniture", "price": 1, "quantity": 1, "furniture_category": "table"}
    assert PAPER_SCHEMA.validate(document, view=view)
    assert rules({**document, "material": "oak"}, view=view) == [("R3", "material")]


def test_absent_attributes_break_no_rule() -> None:
    assert PAPER_SCHEMA.validate({**E1, "material": None, "title": []}).to_dict() == E1


def test_all_violations_are_reported_at_once() -> None:
    document = {
        "event_type": ["antiques", "nothing"],
        "price": [-1, "x", 5],
        "period": "XX",
        "colour": "red",
    }
    assert rules(document) == [
        ("R1", "event_type"),
        ("R2", "price"),
        ("R2", "price"),
        ("R2", "price"),
        ("R2", "period"),
        ("R3", "colour"),
        ("R2", "quantity"),
    ]


def test_without_a_known_type_names_and_values_are_still_checked() -> None:
    assert rules({"event_type": "x", "price": "a", "colour": 1}) == [
        ("R1", "event_type"),
        ("R2", "price"),
        ("R3", "colour"),
    ]


@pytest.mark.parametrize("document", [None, [], "event", 5])
def test_an_event_is_an_object(document: Any) -> None:
    assert rules(document) == [("R1", "event_type")]


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ({f"a{i}": 1 for i in range(501)}, "R3"),
        ({"event_type": ["anything"] * 33}, "R1"),
        ({"event_type": "anything", "price": list(range(1001))}, "R2"),
        ({"event_type": "anything", "material": "x" * 2001}, "R2"),
        ({"event_type": "anything", "title": "x" * 20_001}, "R2"),
        ({"event_type": "anything", "material": "\ud800"}, "R2"),
        ({"event_type": "anything", "title": "a\0"}, "R2"),
        ({"event_type": "anything", "\ud800": 1}, "R3"),
        ({"event_type": "anything", 5: 1}, "R3"),
    ],
)
def test_oversized_and_unreadable_events_are_refused_in_words_that_can_be_sent(
    document: Any, rule: str
) -> None:
    (error,) = violations(document)
    assert error.rule == rule
    (error.message + error.attribute).encode()


def test_many_bad_values_give_a_bounded_report() -> None:
    document: dict[str, Any] = {"event_type": "anything", "period": [f"XV{i}" for i in range(1000)]}
    document |= {f"pricf{i}": 1 for i in range(400)}
    assert len(violations(document)) == 100


def test_texts_keep_what_was_given_beside_their_words() -> None:
    event = PAPER_SCHEMA.validate({"event_type": "anything", "title": ["A Table!", "a lamp"]})
    assert event.values["title"] == ("a", "lamp", "table")
    assert event.texts["title"] == ("A Table!", "a lamp")


@pytest.mark.parametrize(
    "document",
    [
        {"event_type": "anything", "title": "\u0958" * 15_000},
        {"event_type": "anything", "title": "x" * 500 + "\u0344" * 30},
        {"event_type": "anything", "material": "\u0958" * 1_500},
    ],
)
def test_a_string_that_normalising_makes_too_long_is_refused_and_never_dropped(
    document: dict[str, Any],
) -> None:
    assert [error.rule for error in violations(document)] == ["R2"]


def test_the_texts_of_an_event_together_are_limited_with_ligatures_written_out() -> None:
    long = ["x" * 20_000 + str(i) for i in range(6)]
    fitting = [text[:19_999] + text[-1] for text in long[:5]]
    assert PAPER_SCHEMA.validate({"event_type": "anything", "title": fitting}).values["title"]
    for title in (
        [text[-20_000:] for text in long],
        ["\ufdfa" * 1_000 + str(i) for i in range(6)],
        ["\ufdfa" * 50 + str(i) for i in range(1_000)],
    ):
        (error,) = violations({"event_type": "anything", "title": title})
        assert (error.rule, error.attribute) == ("R2", "title")
        assert "at most 100,000 characters together" in error.message


def test_the_same_long_text_twice_counts_once() -> None:
    assert PAPER_SCHEMA.validate({"event_type": "anything", "title": ["x" * 20_000] * 10}).texts["title"]


def test_texts_are_counted_over_all_the_attributes_of_an_event() -> None:
    names = [f"t{i}" for i in range(16)]
    schema = Schema.from_dict(
        {
            "domains": {"words": {"kind": "text"}},
            "attributes": dict.fromkeys(names, "words"),
            "event_types": {"t": {name: ["optional", "unique"] for name in names}},
        }
    )
    with pytest.raises(InvalidEvent) as caught:
        schema.validate({"event_type": "t", **dict.fromkeys(names, "x" * 20_000)})
    assert [error.attribute for error in caught.value.errors] == names[5:]


def test_strings_with_long_runs_of_combining_marks_are_refused_one_by_one() -> None:
    document = {"event_type": "anything", "material": ["e" + "\u0301\u0323" * 240 + str(i) for i in range(9)]}
    errors = violations(document)
    assert len(errors) == 5
    assert all("30 combining marks" in error.message for error in errors)


def test_the_error_can_be_sent_to_another_process() -> None:
    with pytest.raises(InvalidEvent) as caught:
        PAPER_SCHEMA.validate(E2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.errors == caught.value.errors
    assert str(again) == "furniture_category is mandatory for furniture and has no value."


def test_an_event_can_be_sent_to_another_process() -> None:
    event = PAPER_SCHEMA.validate(E1)
    assert pickle.loads(pickle.dumps(event)) == event


@pytest.mark.parametrize("types", [None, [["antiques"]], [5]])
def test_a_view_of_something_else_than_names_is_refused(types: Any) -> None:
    with pytest.raises(SchemaError):
        PAPER_SCHEMA.view(types)


def test_identifiers_are_compared_in_nfc() -> None:
    schema = Schema.from_dict(
        {
            "domains": {"d": {"kind": "enumerated", "values": ["café"]}},
            "attributes": {"x": "d"},
            "event_types": {"t": {"x": ["mandatory", "unique"]}},
        }
    )
    assert schema.validate({"event_type": "t", "x": "cafe\u0301"}).values["x"] == ("café",)


def test_event_types_are_found_whatever_their_normal_form() -> None:
    schema = Schema.from_dict({"event_types": {"the\u0301": {}}})
    for name in ("thé", "the\u0301"):
        assert schema.event_type(name).name == "thé"
        assert schema.view([name]).event_types == {"thé"}
        assert schema.mandatory_set(name) == frozenset()
        assert schema.validate({"event_type": name}).event_types == {"thé"}


@pytest.mark.parametrize("name", ["e" + "\u0301\u0323" * 4_000_000, "x" * 8_000_000, "\ud800", 5, None])
def test_a_look_up_with_an_absurd_name_finds_nothing_at_once(name: Any) -> None:
    with pytest.raises(UnknownName):
        PAPER_SCHEMA.event_type(name)


def test_the_json_schema_of_a_view_accepts_and_refuses_like_we_do() -> None:
    exported = json_schema(PAPER_SCHEMA.view({"antiques", "furniture"}))
    jsonschema.Draft202012Validator.check_schema(exported)
    validator = jsonschema.Draft202012Validator(exported)
    assert validator.is_valid(E1)
    assert validator.is_valid({**E1, "material": None, "price": [5]})
    for bad in (
        E2,
        {**E1, "price": "200"},
        {**E1, "price": -1},
        {**E1, "price": [1, 2]},
        {**E1, "event_type": "antiques"},
        {**E1, "colour": 1},
        {**E1, "period": "XX"},
        {**E1, "price": []},
    ):
        assert not validator.is_valid(bad)
        assert violations(bad)
    single = jsonschema.Draft202012Validator(json_schema(PAPER_SCHEMA.view(["anything"])))
    assert single.is_valid({"event_type": "anything", "price": [1, 2], "title": "x"})
    assert single.is_valid({"event_type": ["anything"]})
