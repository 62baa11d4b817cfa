"""The judge of deliveries is judged itself: with histories in which something is lost, doubled or wrong."""

from dataclasses import replace

import pytest

from tests.chaos import market
from tests.chaos.history import Change, History, Publication
from tests.chaos.told import Reader, Receipt, Told, Verdict, first_arrivals, judge

ITEM = {"event_type": ["lot"], "price": 50, "goods": "desk"}
HISTORY = History(
    (Publication(1, "a", ITEM, 1.0, 1.1),),
    (
        Change(10, "price <= 60", 0.0, 0.1),
        Change(11, "goods <= table", 0.0, 0.1),
        Change(12, "price > 60", 0.0, 0.1),
        Change(20, "price > 70", 0.0, 0.1),
    ),
)
READERS = (Reader("one", 5, frozenset({10, 11, 12})), Reader("two", 6, frozenset({20})))
ROW = Told("msg_a", 5, 1, "delivered", 1, frozenset({10, 11}))
RECEIPT = Receipt("msg_a", "one", 1, frozenset({10, 11}))


def verdict(told: list[Told], receipts: list[Receipt], hit: frozenset[str] | None = frozenset()) -> Verdict:
    return judge(market.SCHEMA, HISTORY, readers=READERS, told=told, receipts=receipts, hit=hit)


def test_one_message_with_all_the_subscriptions_is_good() -> None:
    good = verdict([ROW], [RECEIPT])
    assert good.is_good
    assert (good.deliveries, good.matches, good.receipts, good.doubled) == (1, 2, 1, 0)


def test_a_mail_need_not_say_what_it_tells_of() -> None:
    assert verdict([ROW], [Receipt("msg_a", "one")]).is_good


def test_what_a_kill_hit_may_come_twice() -> None:
    tried_twice = replace(ROW, attempts=2)
    assert verdict([tried_twice], [RECEIPT, RECEIPT], frozenset({"msg_a"})).doubled == 1
    assert verdict([tried_twice], [RECEIPT, RECEIPT], frozenset({"msg_a"})).is_good
    assert verdict([tried_twice], [RECEIPT, RECEIPT]).words == "1 doubled"


def test_nothing_may_come_oftener_than_it_was_tried() -> None:
    tried_twice = replace(ROW, attempts=2)
    assert verdict([tried_twice], [RECEIPT] * 2, None).is_good
    assert verdict([tried_twice], [RECEIPT] * 3, None).words == "1 doubled"
    assert verdict([ROW], [RECEIPT] * 2, frozenset({"msg_a"})).words == "1 doubled"


def test_the_first_of_several_arrivals_counts() -> None:
    receipts = [replace(RECEIPT, at=7.0), replace(RECEIPT, at=5.0), Receipt("msg_x", "one", at=1.0)]
    assert first_arrivals([ROW], receipts) == {1: 5.0}


@pytest.mark.parametrize(
    ("told", "receipts", "words"),
    [
        ([], [], "1 lost"),
        ([ROW], [], "1 lost"),
        ([replace(ROW, state="dead")], [RECEIPT], "1 lost"),
        ([ROW, replace(ROW, wire_id="msg_b")], [RECEIPT, replace(RECEIPT, wire_id="msg_b")], "1 doubled"),
        ([replace(ROW, subscriptions=frozenset({10}))], [Receipt("msg_a", "one")], "1 wrong"),
        ([ROW, replace(ROW, wire_id="msg_b", channel=6)], [RECEIPT, Receipt("msg_b", "two")], "1 wrong"),
        ([ROW], [RECEIPT, Receipt("msg_c", "one")], "1 wrong"),
        ([ROW], [replace(RECEIPT, reader="two")], "1 wrong"),
        ([ROW], [replace(RECEIPT, event=2)], "1 wrong"),
        ([ROW], [replace(RECEIPT, subscriptions=frozenset({10}))], "1 wrong"),
    ],
)
def test_what_is_not_as_it_should_be_is_found(told: list[Told], receipts: list[Receipt], words: str) -> None:
    assert verdict(told, receipts).words == words
