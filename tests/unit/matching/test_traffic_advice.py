"""Every fault that the schema and the envelope know has its own words; and the words fit the attribute."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from matching.traffic.advice import _EVENT_TYPE_MENDS, _MENDS, _WRONG, _WRONG_EVENT_TYPE, advice
from matching.traffic.collecting import MOST_REFUSALS
from matching.traffic.counting import KEPT_DAYS
from matching.traffic.noting import MOST_RAW, MOST_SAMPLES
from matching.traffic.reasons import Reason, reasons_of
from schema_registry.core import errors
from schema_registry.core.schema import Schema
from tests.running_system import ROOT

CORE = Path(errors.__file__).parent
SCHEMA = Schema.from_dict(
    {
        "version": 2,
        "domains": {
            "money": {"kind": "numeric", "min": 0, "unit": "EUR"},
            "wood": {"kind": "enumerated", "values": list("abcdefg")},
        },
        "attributes": {"price": "money", "wood": "wood"},
        "event_types": {"lot": {"price": ["mandatory", "unique"], "wood": ["optional", "unique"]}},
    }
)


def test_every_fault_of_the_core_has_a_headline_and_a_way_to_mend_it() -> None:
    named = {
        fault
        for module in CORE.glob("*.py")
        for fault in re.findall(r"fault(?:: str)? ?= ?\"(\w+)\"", module.read_text())
    }
    assert {"missing", "not_a_number", "outside_domain", "not_of_the_view"} <= named
    assert named <= {*_WRONG, *_WRONG_EVENT_TYPE}
    assert named - {"outside_domain"} <= {*_MENDS, *_EVENT_TYPE_MENDS}


@pytest.mark.parametrize(
    ("reason", "wrong", "mend"),
    [
        (Reason("missing", "price"), "“price” is missing", "mandatory for lot"),
        (Reason("not_a_number", "price"), "“price” is not a number", "The unit is always EUR."),
        (Reason("out_of_bounds", "price"), "“price” is too small or too large", "a number from 0 up in EUR"),
        (Reason("not_a_value", "wood"), "“wood” has a value that is not in its list", "a, b, c, d, e, …"),
        (Reason("not_a_value", "event_type"), "There is no such event type", "as the schema spells it"),
        (Reason("unknown_attribute", "prise"), "There is no attribute “prise”", "Did you mean “price”?"),
        (Reason("unknown_attribute", ""), "There is no attribute “…”", "Leave it out"),
        (Reason("unknown_field", "price"), "There is no field “price”", "put it into “event”"),
        (Reason("envelope_field", "ends_at"), "The field “ends_at” is", "2030-06-01T18:00:00+02:00"),
        (Reason("missing", "gone_from_the_schema"), "“gone_from_the_schema” is missing", "mandatory"),
        (Reason("of_the_future", "x"), "of the future", "What we answered"),
    ],
)
def test_the_words_are_about_the_attribute(reason: Reason, wrong: str, mend: str) -> None:
    with translation.override("en"):
        found = advice(reason, SCHEMA)
    assert wrong in found.wrong
    assert mend in found.mend


def test_the_reasons_of_an_item_are_each_named_once() -> None:
    with pytest.raises(errors.InvalidEvent) as refused:
        SCHEMA.validate({"event_type": ["lot"], "price": ["x", "y"], "colour": 1, "wood": "fir"})
    assert reasons_of(refused.value) == [
        Reason("not_a_number", "price"),
        Reason("several_values", "price"),
        Reason("unknown_attribute", "colour"),
        Reason("not_a_value", "wood"),
    ]


def test_the_guide_says_what_the_page_says_and_keeps_what_it_names() -> None:
    guide = " ".join((ROOT / "docs" / "publishing.md").read_text().split())
    for reason in (
        Reason("not_a_number", "asking_price"),
        Reason("not_a_value", "made_in"),
        Reason("missing", "asking_price"),
        Reason("unknown_attribute", "asking_prize"),
        Reason("unknown_field", "price"),
        Reason("unreadable"),
        Reason("changed_body"),
    ):
        with translation.override("en"):
            assert f"| {advice(reason, SCHEMA).wrong} |" in guide
    assert f"up to {MOST_SAMPLES} of a request, {MOST_RAW:,} bytes of each" in guide
    assert f"the newest {MOST_REFUSALS:,} in all, for {KEPT_DAYS} days" in guide
