"""From fields to values: cleaning, joining, taking apart, and each cast."""

import pytest

from tests.unit.feeds.market import ROW, judged, mapping, refusal, rejected, value


def test_a_field_is_cleaned_of_entities_and_white_space() -> None:
    assert value("maker", {"field": "F"}, F="  Smith\t&amp;\n Sons&nbsp; ") == "Smith & Sons"


def test_each_step_of_cleaning_can_be_left_out() -> None:
    assert value("maker", {"field": "F", "clean": ["trim"]}, F=" a  &amp; b ") == "a  &amp; b"
    assert value("maker", {"field": "F", "clean": ["entities"]}, F=" a  &amp; b ") == " a  & b "
    assert value("maker", {"field": "F", "clean": []}, F=" a  &amp; b ") == " a  &amp; b "


@pytest.mark.parametrize("clean", [["entities"], ["entities", "spaces", "trim"]])
def test_an_entity_of_very_many_digits_is_refused(clean: list[str]) -> None:
    source = {"field": "F", "clean": clean}
    assert "stands for no character" in refusal("maker", source, F=f"&#{'1' * 5_000};")


@pytest.mark.parametrize("blank", [None, "", "  ", "&nbsp;"])
def test_what_is_blank_is_missing(blank: str | None) -> None:
    assert value("maker", {"field": "F"}, F=blank) is None


def test_several_fields_are_joined_and_missing_if_one_is() -> None:
    source = {"fields": ["A", "B"], "joined_by": "/"}
    assert value("maker", source, A=" x ", B="y") == "x/y"
    assert value("maker", source, A="x", B="") is None


def test_a_member_of_a_json_object_is_taken() -> None:
    assert value("maker", {"field": "F", "key": "name"}, F='{"name": " A &amp; B "}') == "A & B"
    assert value("built", {"field": "F", "key": "year", "cast": "number"}, F='{"year": 1890}') == 1890
    assert value("maker", {"field": "F", "key": "name"}, F='{"other": 1}') is None
    assert value("maker", {"field": "F", "key": "name"}, F="[1]") is None
    assert "does not hold JSON" in refusal("maker", {"field": "F", "key": "name"}, F="{name: x}")


def test_several_values_have_a_separator_or_are_a_json_list() -> None:
    by_separator = {"field": "F", "cast": "category", "separator": "|"}
    assert value("woods", by_separator, F=" spruce | maple||") == ["maple", "spruce"]
    assert value("woods", by_separator, F="spruce") == "spruce"
    listed = {"field": "F", "cast": "category", "json_list": True}
    assert value("woods", listed, F='["spruce", " maple ", null, ""]') == ["maple", "spruce"]
    assert value("woods", listed, F="[]") is None
    assert value("woods", listed, F='"ebony"') == "ebony"


def test_entities_are_decoded_after_a_list_is_taken_apart() -> None:
    assert value("maker", {"field": "F", "json_list": True}, F='["a &quot;b&quot;"]') == 'a "b"'


def test_entities_are_decoded_before_a_string_is_split_and_white_space_may_separate() -> None:
    source = {"field": "F", "cast": "category", "table": {"a & b": "maple", "c": "ebony"}}
    assert value("woods", {**source, "separator": ";"}, F="a &amp; b;c") == ["ebony", "maple"]
    assert value("woods", {**source, "separator": "\n"}, F="a  & b\n\nc ") == ["ebony", "maple"]


def test_half_a_surrogate_pair_in_nested_json_cannot_be_read() -> None:
    for source, field in (({"key": "k"}, '{"k": "\\ud800"}'), ({"json_list": True}, '["\\ud800"]')):
        assert "could not be read" in refusal("maker", {"field": "F", **source}, F=field)


def test_a_list_can_be_joined_to_the_path_of_a_category() -> None:
    listed = {"field": "F", "cast": "category", "json_list": True, "joined_by": " > "}
    assert value("town", listed, F='["eu", "Italy", "Cremona"]') == "cremona"
    split = {"field": "F", "cast": "category", "separator": "/", "joined_by": " > "}
    assert value("town", split, F="eu / France / Paris") == "paris"


def test_a_category_is_found_by_table_identifier_label_or_path() -> None:
    source = {"field": "F", "cast": "category", "table": {"Kremona": "Cremona", "Moon": None}}
    assert value("town", source, F="Kremona") == "cremona"
    assert value("town", source, F="cremona") == "cremona"
    assert value("town", source, F="Cremona") == "cremona"
    assert value("town", source, F="France > Paris") == "paris"
    assert value("town", source, F="Moon") is None


@pytest.mark.parametrize("text", ["Atlantis", "Paris", "Italy > Paris", "x" * 5_000, "a\0b"])
def test_a_category_that_is_unknown_or_means_several_is_rejected_or_left_out(text: str) -> None:
    source = {"field": "F", "cast": "category"}
    for _time in range(2):  # what was said is remembered
        assert "is not a category that the mapping knows" in refusal("town", source, F=text)
    assert value("town", {**source, "unmapped": "drop"}, F=text) is None


def test_words_are_values_of_their_own() -> None:
    assert value("woods", {"field": "F", "cast": "words"}, F="Maple-SPRUCE maple!") == ["maple", "spruce"]
    assert value("woods", {"field": "F", "cast": "words"}, F="?!") is None


def test_money_is_converted_by_the_rates_of_the_mapping() -> None:
    source = {"field": "F", "cast": "money"}
    assert value("price", source, F="1.200,00 EUR") == 1200
    assert value("price", source, F="US $1,200.00") == 600
    assert value("price", source, F="£5") == 10
    assert value("price", source, F="5") == 5
    assert value("price", {**source, "currency": "USD"}, F="5") == 2.5
    assert refusal("price", source, F="5 QQQ") == "There is no rate for the currency 'QQQ'."
    assert refusal("price", source, F="call us") == "'call us' is not a sum of money."


def test_a_currency_may_stand_in_a_field_of_its_own() -> None:
    source = {"field": "F", "cast": "money", "currency_field": "C"}
    assert value("price", source, F="5.00", C="US") == 2.5
    assert value("price", source, F="5.00", C=None) == 5
    assert value("price", source, F="5.00", C="EUR") == 5


def test_a_mapping_may_read_a_symbol_in_its_own_way() -> None:
    row = {**ROW, "Price": "$5.00"}
    own = mapping(rates={"USD": "0.5", "CAD": "0.25"}, currencies={"$": "cad"})
    assert judged(row, own).event.values["price"] == (1.25,)


def test_a_number_keeps_all_its_digits() -> None:
    source = {"field": "F", "cast": "number"}
    assert value("built", source, F="1,890") == 1890
    assert value("built", source, F="-0.25") == -0.25
    assert value("built", {**source, "decimal": ","}, F="1.890,5") == 1890.5
    (too_exact,) = rejected({**ROW, "Built": "0.12345678901234567"})
    assert (too_exact.rule, too_exact.attribute) == ("R2", "built")


def test_a_date_may_become_a_year() -> None:
    source = {"field": "F", "cast": "date", "formats": ["%d.%m.%Y"], "gives": "year"}
    assert value("built", source, F="24.12.1890") == 1890


def test_a_constant_is_the_same_in_every_row() -> None:
    assert value("woods", {"constant": ["maple", "ebony"]}) == ["ebony", "maple"]
    assert value("built", {"constant": 1890}) == 1890
