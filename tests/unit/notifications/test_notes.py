"""What a chat or a phone is told: short, whole, and with nothing in it that would wake a room."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from notifications.core.messages import (
    ChannelDisabled,
    Content,
    Digest,
    Ending,
    ExpiresSoon,
    GivenUp,
    Item,
    MatchFound,
    Reason,
    Test,
    Verify,
)
from notifications.core.notes import Note, Places, note_of

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
PLACES = Places(
    feed="https://finds.example.org/feed",
    channels="https://finds.example.org/notifications",
    confirm="https://finds.example.org/notifications/confirm/abc",
)


def item(**changed: Any) -> Item:
    fields: dict[str, Any] = {
        "event": 1,
        "external_id": "lot-1",
        "revision": 1,
        "title": "Oak dining table",
        "url": "https://a.example/lots/1",
        "image_url": "",
        "publisher": "Maison Belleroche",
        "attributes": {},
        "price": "180 EUR",
        "price_before": "",
        "ends_at": NOW + timedelta(hours=3),
        "accepted_at": NOW,
        "reasons": (Reason(7, "Tables", ()),),
    }
    return Item(**{**fields, **changed})


def note(content: Content, *, most: int = 1_000) -> Note:
    return note_of(content, places=PLACES, most=most, now=NOW)


def test_an_item_has_its_price_its_end_its_search_and_its_link() -> None:
    said = note(MatchFound(item()))
    assert said.title == "Oak dining table - 180 EUR"
    assert said.text.splitlines() == [
        "ends in 3 h, Maison Belleroche",
        "Found by “Tables”",
        "https://a.example/lots/1",
    ]


def test_an_item_without_a_link_of_the_web_leads_to_the_feed() -> None:
    for url in ("", "javascript:alert(1)", "https://a.example/" + "x" * 600):
        assert note(MatchFound(item(url=url))).text.endswith(PLACES.feed)


@pytest.mark.parametrize(
    "title",
    ["@everyone look", "<!channel> look", "<@123456> look", "[look](https://b.example)", "<b>look", "`look"],
)
def test_what_a_publisher_writes_wakes_nobody_and_is_no_link(title: str) -> None:
    hostile = item(title=title, publisher=title, reasons=(Reason(1, title, ()),))
    for content in (MatchFound(hostile), Digest(items=(hostile,), overflow=0, most_per_day=None)):
        said = note(content)
        written = f"{said.title}\n{said.text}"
        assert "look" in written
        assert not [sign for sign in ("@e", "@1", "<", ">", "[", "]", "`") if sign in written]


def test_a_link_cannot_wake_anybody_either() -> None:
    said = note(MatchFound(item(url="https://a.example/@everyone?<!channel>")))
    assert "https://a.example/%40everyone?%3C!channel%3E" in said.text


@pytest.mark.parametrize("most", [300, 900, 3_000])
def test_a_digest_tells_what_fits_and_counts_the_rest(most: int) -> None:
    items = tuple(item(event=number, url=f"https://a.example/lots/{number}") for number in range(100))
    said = note(Digest(items=items, overflow=0, most_per_day=None, more=31), most=most)
    told = said.text.count("https://a.example/lots/")
    assert 0 < told < 100
    assert said.text.endswith(f"And {131 - told} more: {PLACES.feed}")
    assert len(said.title) + len(said.text) <= most


def test_all_that_can_be_said_fits_into_what_a_service_takes() -> None:
    long = "Oak and walnut " * 200
    ending = tuple(Ending(subscription=n, name=long, expires_at=NOW) for n in range(20))
    contents: list[Content] = [
        MatchFound(item(title=long, publisher=long, reasons=tuple(Reason(n, long, ()) for n in range(50)))),
        Verify("challenge"),
        Test(),
        ExpiresSoon(day=NOW.date(), searches=ending, more=3),
        ChannelDisabled(channel=1, address=long, reason=long),
        GivenUp(channel=1, address=long, deliveries=3),
    ]
    for content in contents:
        said = note(content, most=900)
        assert said.title
        assert len(said.title) + len(said.text) <= 900, content


def test_a_verification_has_its_link_and_no_other_message_has_it() -> None:
    assert PLACES.confirm in note(Verify("challenge")).text
    assert PLACES.confirm not in note(Test()).text
