"""The oracle of `make chaos` finds what it is there to find."""

from dataclasses import replace
from typing import Any

import pytest

from schema_registry.core.schema import Schema
from tests.chaos.history import Change, History, Publication
from tests.chaos.verdict import Fault, Recorded, RecordedEvent, Verdict, judge

SCHEMA = Schema.from_dict(
    {
        "domains": {"money": {"kind": "numeric"}},
        "attributes": {"price": "money"},
        "event_types": {"lot": {"price": ["mandatory", "unique"]}},
        "version": 1,
    }
)
CHEAP = Change(subscription=1, text="price < 20", began=0, ended=1)
DEAR = Change(subscription=2, text="price > 20", began=0, ended=1)
LOT = Publication(
    event=7, external_id="lot-7", document={"event_type": ["lot"], "price": 12}, began=5, ended=6
)
STORED = RecordedEvent(number=7, external_id="lot-7", state="matched", match_count=1)


def verdict(
    *changes: Change,
    rows: list[tuple[int, int]],
    seen: float = 7,
    stored: RecordedEvent | None = None,
    **more: Any,
) -> Verdict:
    event = stored or replace(STORED, match_count=len(rows))
    recorded = Recorded(events=(event,), matches=tuple(rows))
    return judge(SCHEMA, History((LOT,), changes), recorded, seen_matched={7: seen}, **more)


def kinds(found: Verdict) -> list[str]:
    return [fault.kind for fault in found.faults]


def test_what_is_right_is_called_right() -> None:
    found = verdict(CHEAP, DEAR, rows=[(7, 1)])
    assert found.is_good
    assert found.words == "nothing lost, nothing doubled"
    assert (found.events, found.matches) == (1, 1)
    assert found.duties == {"must": 1, "must not": 1, "may": 0}


def test_a_lost_match_is_found() -> None:
    found = verdict(CHEAP, DEAR, rows=[])
    assert kinds(found) == ["lost"]
    assert found.words == "1 lost"
    assert list(found.report()) == ["lost: event 7 (lot-7) x 1 must match and has no row."]


def test_a_doubled_match_is_found() -> None:
    assert kinds(verdict(CHEAP, rows=[(7, 1), (7, 1)])) == ["doubled"]


def test_a_wrong_match_is_found() -> None:
    assert kinds(verdict(CHEAP, DEAR, rows=[(7, 1), (7, 2)])) == ["wrong"]


def test_a_match_of_a_subscription_that_nobody_was_told_of_is_found() -> None:
    assert kinds(verdict(CHEAP, rows=[(7, 1), (7, 99)])) == ["wrong"]


def test_an_acknowledged_event_that_is_gone_is_found() -> None:
    found = judge(SCHEMA, History((LOT,), ()), Recorded((), ()), seen_matched={})
    assert kinds(found) == ["lost"]


def test_an_item_that_became_two_events_is_found() -> None:
    twice = Recorded((replace(STORED, match_count=0), replace(STORED, number=8, match_count=0)), ())
    assert kinds(judge(SCHEMA, History((LOT,), ()), twice, seen_matched={7: 7})) == ["doubled"]


@pytest.mark.parametrize("state", ["accepted", "parked"])
def test_an_event_that_does_not_end_matched_is_found(state: str) -> None:
    found = verdict(rows=[], stored=replace(STORED, state=state, match_count=0, reason="It is too heavy."))
    assert kinds(found) == ["unfinished"]
    assert found.faults[0].sentence == f"event 7 (lot-7) is {state}: It is too heavy."


def test_an_event_that_miscounts_its_matches_is_found() -> None:
    assert kinds(verdict(CHEAP, rows=[(7, 1)], stored=replace(STORED, match_count=2))) == ["miscounted"]


def test_a_fault_noticed_elsewhere_spoils_the_verdict() -> None:
    found = verdict(CHEAP, rows=[(7, 1)], noticed=[Fault("stalled", "Nothing moved for 60 s.")])
    assert not found.is_good


# --- what a change acknowledged before, during and after the event means ---

REMOVED = Change(subscription=1, text=None, began=2, ended=3)


def test_one_removed_before_the_event_was_sent_must_not_match() -> None:
    assert verdict(CHEAP, REMOVED, rows=[]).is_good
    assert kinds(verdict(CHEAP, REMOVED, rows=[(7, 1)])) == ["wrong"]


def test_one_removed_and_resumed_before_must_match() -> None:
    resumed = replace(CHEAP, began=3, ended=4)
    assert verdict(CHEAP, REMOVED, resumed, rows=[(7, 1)]).is_good
    assert kinds(verdict(CHEAP, REMOVED, resumed, rows=[])) == ["lost"]


@pytest.mark.parametrize(("began", "ended"), [(4, 5.5), (5.5, 5.7), (5.5, 9), (6.5, 9)])
@pytest.mark.parametrize("rows", [[], [(7, 1)]])
def test_one_removed_while_the_event_was_on_its_way_may_match(
    began: float, ended: float, rows: list[tuple[int, int]]
) -> None:
    found = verdict(CHEAP, replace(REMOVED, began=began, ended=ended), rows=rows)
    assert found.is_good
    assert found.duties["may"] == 1


def test_one_removed_after_the_event_was_seen_matched_must_have_matched() -> None:
    later = replace(REMOVED, began=7.5, ended=8)
    assert verdict(CHEAP, later, rows=[(7, 1)]).is_good
    assert kinds(verdict(CHEAP, later, rows=[])) == ["lost"]


def test_one_made_after_the_event_was_seen_matched_must_not_match() -> None:
    late = replace(CHEAP, began=7.5, ended=8)
    assert verdict(late, rows=[]).is_good
    assert kinds(verdict(late, rows=[(7, 1)])) == ["wrong"]


def test_one_edited_meanwhile_must_match_when_both_its_texts_do() -> None:
    edited = replace(CHEAP, text="price < 15", began=5.5, ended=5.7)
    assert kinds(verdict(CHEAP, edited, rows=[])) == ["lost"]
    assert verdict(CHEAP, replace(edited, text="price < 5"), rows=[]).is_good


def test_of_an_event_never_seen_matched_every_later_change_may_count() -> None:
    late = replace(REMOVED, began=100, ended=101)
    found = judge(
        SCHEMA,
        History((LOT,), (CHEAP, late)),
        Recorded((replace(STORED, match_count=0),), ()),
        seen_matched={},
    )
    assert found.is_good
    assert found.duties["may"] == 1


def test_a_decision_that_hangs_on_a_change_just_before_is_sharp() -> None:
    assert verdict(CHEAP, replace(REMOVED, began=4, ended=4.5), rows=[]).sharp == 1
    assert verdict(CHEAP, REMOVED, rows=[]).sharp == 0
    assert verdict(replace(CHEAP, began=4, ended=4.5), rows=[(7, 1)]).sharp == 1
    assert verdict(replace(DEAR, began=4, ended=4.5), rows=[]).sharp == 0
