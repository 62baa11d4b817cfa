"""Verdicts on rows: events as live intake would make them, or every reason against."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.envelopes import read_envelope
from matching.feeds.judging import Judge, Judged, Reject
from matching.feeds.mapping import CORRUPT
from matching.readiness import made_ready
from tests.unit.feeds.market import MAPPING, ROW, SCHEMA, judged, mapping, rejected

HUGE = f"&#{'1' * 5_000};"  # of more digits than Python makes a number of
STRINGS = st.one_of(
    st.none(),
    st.text(max_size=60),
    st.sampled_from(
        ["5 EUR", '{"UserID": 1e999}', "[1, [2]]", "\ufffd", "\ud800", HUGE, "0001-01-01T00:00:00Z"]
    ),
)


def test_a_row_becomes_what_a_publisher_would_have_sent() -> None:
    verdict = judged(ROW)
    envelope = read_envelope(
        {
            "external_id": "17",
            "title": 'Violin "Mirecourt" about 1890',
            "url": "https://violins.example/17",
            "ends_at": "2001-12-14T02:10:40Z",
            "event": {
                "event_type": ["violins"],
                "price": 600,
                "title": 'Violin "Mirecourt" about 1890',
                "maker": "lupot",
                "town": "cremona",
                "woods": ["maple", "spruce"],
                "built": 1890,
            },
        }
    )
    ready = made_ready(envelope, SCHEMA.validate(envelope.event))
    assert (verdict.digest, verdict.document) == (ready.digest, ready.document)
    assert (verdict.external_id, verdict.revision, verdict.schema_version) == ("17", None, 1)
    assert (verdict.title, verdict.url, verdict.image_url) == (envelope.title, envelope.url, "")
    assert verdict.ends_at == "2001-12-14T02:10:40+00:00"
    assert SCHEMA.validate(json.loads(verdict.document)) == verdict.event


def test_a_corrupt_line_is_told_and_nothing_else() -> None:
    (reject,) = rejected({**ROW, "Price": "x", CORRUPT: '{"ItemID'})
    assert (reject.rule, reject.attribute) == ("corrupt", "")


def test_all_that_cannot_be_mapped_is_told_and_nothing_else() -> None:
    row = {**ROW, "ItemID": "", "Link": "ftp://x", "Price": "call us", "Town": "Atlantis", "Ends": "soon"}
    found = rejected(row)
    assert [(each.rule, each.attribute) for each in found] == [
        ("mapping", "ends_at"),
        ("mapping", "price"),
        ("mapping", "town"),
    ]


def test_all_of_an_envelope_is_told_and_then_all_of_an_event_as_publishers_are_told() -> None:
    wrong = {**ROW, "Price": "200,000 EUR", "Name": None}
    told = [(each.rule, each.attribute) for each in rejected({**wrong, "ItemID": "", "Link": "ftp://x"})]
    assert told == [("envelope", "url"), ("envelope", "external_id")]
    assert [(each.rule, each.attribute) for each in rejected(wrong)] == [("R2", "price"), ("R2", "title")]


def test_a_character_that_could_not_be_read_is_told_once_for_each_use_of_its_field() -> None:
    found = rejected({**ROW, "Name": "Caf\ufffd bow"})
    assert {(each.rule, each.attribute) for each in found} == {
        ("mapping", "title"),
        ("mapping", "event_type"),
    }
    assert len(found) == 2
    assert "another encoding" in found[0].message


def test_an_unreadable_character_in_a_field_that_nobody_uses_does_no_harm() -> None:
    assert judged({**ROW, "Description": "Caf\ufffd"}).external_id == "17"


def test_a_row_has_the_event_types_of_the_first_rule_that_fits() -> None:
    rules = [
        {"field": "Kind", "is": ["Bow", "Bows"], "then": "bows"},
        {"field": "Kind", "starts_with": "viol", "then": ["violins"]},
        {"field": "Name", "has_words": "set", "then": ["violins", "bows"]},
    ]
    by = mapping(event_type={"rules": rules})
    for fields, types in (
        ({"Kind": " bow "}, {"bows"}),
        ({"Kind": "VIOLAS"}, {"violins"}),
        ({"Kind": None, "Name": "A SET!"}, {"violins", "bows"}),
    ):
        assert judged({**ROW, **fields}, by).event.event_types == types
    (reject,) = rejected({**ROW, "Kind": "lute", "Name": "settee"}, by)
    assert (reject.rule, reject.attribute) == ("mapping", "event_type")


def test_an_attribute_of_other_event_types_is_left_out_with_its_faults() -> None:
    bow = judged({**ROW, "Name": "A bow", "Town": "Atlantis", "Hairs": "150"})
    assert bow.event.to_dict() == {"event_type": ["bows"], "price": 600, "hairs": 150}
    assert "hairs" not in judged({**ROW, "Hairs": "many"}).event.values


def test_an_attribute_that_the_schema_lacks_breaks_r3() -> None:
    by = mapping(attributes={**MAPPING["attributes"], "prize": {"field": "Price"}})
    (reject,) = rejected(ROW, by)
    assert (reject.rule, reject.attribute) == ("R3", "prize")


def test_a_revision_is_a_whole_number_and_must_be_there_if_the_mapping_has_it() -> None:
    by = mapping(revision={"field": "Version"})
    assert judged({**ROW, "Version": " 7 "}, by).revision == 7
    for version, rule in (("", "mapping"), ("new", "mapping"), ("1.5", "envelope"), ("0", "envelope")):
        (reject,) = rejected({**ROW, "Version": version}, by)
        assert (reject.rule, reject.attribute) == (rule, "revision")


@given(st.dictionaries(st.sampled_from([*ROW, "Version", CORRUPT]), STRINGS))
def test_whatever_a_row_holds_it_is_an_event_or_has_reasons(row: dict[str, Any]) -> None:
    verdict = Judge(mapping(revision={"field": "Version"}), SCHEMA).judge(row)
    if isinstance(verdict, Judged):
        assert SCHEMA.validate(json.loads(verdict.document)) == verdict.event
    else:
        assert verdict
        assert all(
            isinstance(each, Reject) and all(isinstance(part, str) for part in each) for each in verdict
        )
        assert all(each.rule != "unjudged" for each in verdict)


def test_a_row_that_we_are_not_made_for_is_refused_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Judge(mapping(), SCHEMA)

    def stumble(_envelope: object) -> None:
        raise ZeroDivisionError("of\nours")

    monkeypatch.setattr("matching.feeds.judging.read_envelope", stumble)
    message = "This row cannot be judged (ZeroDivisionError: of\\nours)."
    assert judge.judge(ROW) == [Reject("unjudged", "", message)]
