"""Mappings as documents: all that is wrong at once, and what does not fit a schema."""

import json
from decimal import Decimal
from typing import Any

import pytest

from matching.feeds.mapping import FeedMapping, InvalidMapping
from tests.unit.feeds.market import MAPPING, SCHEMA, mapping, with_attribute


def faults(document: object) -> dict[str, str]:
    with pytest.raises(InvalidMapping) as refused:
        FeedMapping.from_dict(document)
    return refused.value.faults


def faults_of(source: dict[str, Any]) -> dict[str, str]:
    return faults({**MAPPING, "attributes": {"price": source}})


def test_the_document_comes_back_and_is_not_shared() -> None:
    read = mapping()
    document = read.to_dict()
    assert document == MAPPING
    document["attributes"].clear()
    assert read.to_dict() == MAPPING
    assert FeedMapping.from_dict(json.loads(json.dumps(read.to_dict()))) == read


def test_decimals_come_back_as_numbers_that_json_can_write() -> None:
    read = mapping(rates={"USD": Decimal("0.92"), "JPY": Decimal(1)})
    assert json.loads(json.dumps(read.to_dict()))["rates"] == {"USD": 0.92, "JPY": 1}


def test_it_knows_the_fields_that_it_reads() -> None:
    named = ("Built", "Ends", "Hairs", "ItemID", "Link", "Name", "Price", "Seller", "Town", "Woods")
    assert mapping().fields == named
    with_currency = with_attribute("price", {"field": "Price", "cast": "money", "currency_field": "Currency"})
    assert set(with_currency.fields) == {*named, "Currency"}


def test_it_has_a_revision_if_it_says_where() -> None:
    assert not mapping().has_revision
    assert mapping(revision={"field": "Version"}).has_revision


def test_all_faults_are_told_at_once_each_with_its_path() -> None:
    document = {
        "external_idd": {"field": "ItemID"},
        "time_zone": "Mars/Olympus",
        "rates": {"USD": -1},
        "format": {"delimiter": ";;", "encoding": "utf-9"},
        "ends_at": {"field": "Ends", "formats": ["%Q"]},
        "event_type": {"rules": [{"field": "Name", "then": "bows"}]},
        "attributes": {"price": {"feild": "Price"}, "title": {"field": "Name", "cast": "mony"}},
    }
    assert set(faults(document)) == {
        "external_idd",
        "external_id",
        "time_zone",
        "rates.USD",
        "format.delimiter",
        "format.encoding",
        "ends_at.formats",
        "event_type.rules[0]",
        "attributes.price",
        "attributes.price.feild",
        "attributes.title.cast",
    }


@pytest.mark.parametrize("document", [None, [], "mapping", 3])
def test_what_is_no_object_is_refused(document: object) -> None:
    assert "" in faults(document)


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    assert "Did you mean 'field'?" in faults_of({"feild": "Price"})["attributes.price.feild"]
    assert "Did you mean 'money'?" in faults_of({"field": "Price", "cast": "mony"})["attributes.price.cast"]


@pytest.mark.parametrize(
    ("source", "path", "part_of_sentence"),
    [
        ({"fields": ["a", "b"]}, "joined_by", "Several fields"),
        ({"field": "a", "fields": ["a"]}, "", "'field', or 'fields'"),
        ({"field": "a", "joined_by": "-"}, "joined_by", "nothing to join"),
        ({"field": "a", "separator": ",", "json_list": True}, "json_list", "cannot be both"),
        ({"fields": ["a", "b"], "joined_by": "", "separator": ","}, "fields", "Only a single field"),
        ({"field": "a", "table": {"x": "y"}}, "table", "option of the cast category, not of text"),
        ({"field": "a", "cast": "category", "table": {"x": 3}}, "table.x", "a category, or null"),
        ({"field": "a", "cast": "category", "unmapped": "keep"}, "unmapped", "reject, drop"),
        ({"field": "a", "clean": ["wash"]}, "clean", "wash: the steps are"),
        ({"field": "a", "json_list": "yes"}, "json_list", "true or false"),
        ({"field": ""}, "field", "not blank"),
        ({"constant": None}, "constant", "a string or a number"),
        ({"constant": 5, "field": "a"}, "field", "There is no 'field' here"),
        ({"field": "a", "cast": "money", "decimal": ";"}, "decimal", "auto, ., ,"),
    ],
)
def test_a_source_that_makes_no_sense_is_refused(
    source: dict[str, Any], path: str, part_of_sentence: str
) -> None:
    place = "attributes.price" + (f".{path}" if path else "")
    assert part_of_sentence in faults_of(source)[place]


def test_an_id_cannot_be_a_constant_and_an_end_must_be_a_moment() -> None:
    found = faults(
        {**MAPPING, "external_id": {"constant": "x"}, "ends_at": {"field": "Ends", "gives": "day"}}
    )
    assert set(found) == {"external_id", "ends_at.gives"}


def test_a_mapping_that_fits_has_no_faults_with_the_schema() -> None:
    assert mapping().faults_with(SCHEMA) == {}


@pytest.mark.parametrize(
    ("name", "source", "path", "part_of_sentence"),
    [
        ("prize", {"field": "Price"}, "", "Did you mean 'price'?"),
        ("price", {"field": "Price"}, ".cast", "does not give values of a numeric domain"),
        ("title", {"field": "Name", "cast": "number"}, ".cast", "does not give values of a text domain"),
        ("title", {"field": "Name", "cast": "category"}, ".cast", "no categories to choose from"),
        ("town", {"field": "T", "cast": "category", "table": {"x": "Cremone"}}, ".table.x", "Did you mean"),
        ("town", {"field": "T", "cast": "category", "table": {"x": "Paris"}}, ".table.x", "more than one"),
        ("town", {"constant": "Rome"}, ".constant", "not one of its values"),
    ],
)
def test_what_does_not_fit_the_schema_is_told(
    name: str, source: dict[str, Any], path: str, part_of_sentence: str
) -> None:
    assert part_of_sentence in with_attribute(name, source).faults_with(SCHEMA)[f"attributes.{name}{path}"]


def test_an_unknown_event_type_is_told_with_its_rule() -> None:
    rules = [{"field": "Name", "is": "x", "then": ["violns"]}]
    found = mapping(event_type={"rules": rules, "default": "bowls"}).faults_with(SCHEMA)
    assert "Did you mean 'violins'?" in found["event_type.rules[0].then"]
    assert "bowls" in found["event_type.default"]


def test_an_attribute_that_every_row_would_lack_is_told() -> None:
    found = mapping(attributes={"title": {"field": "Name"}}).faults_with(SCHEMA)
    assert found == {"attributes.price": "price is mandatory for bows and is not mapped."}


def test_an_attribute_that_no_event_type_of_the_mapping_has_is_told() -> None:
    found = mapping(event_type={"default": "violins"}).faults_with(SCHEMA)
    assert found == {"attributes.hairs": "hairs is not an attribute of violins."}


def test_money_goes_into_a_domain_of_its_currency() -> None:
    assert "Its unit is EUR" in mapping(currency="USD").faults_with(SCHEMA)["attributes.price.cast"]
