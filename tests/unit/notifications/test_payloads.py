"""Messages as the bodies of webhooks."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from notifications.core.messages import (
    ChannelDisabled,
    Content,
    Digest,
    Ending,
    ExpiresSoon,
    GivenUp,
    Held,
    Item,
    MatchFound,
    Reason,
    Test,
    Verify,
)
from notifications.core.payloads import payload

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ITEM = Item(
    event=7,
    external_id="lot-1",
    revision=2,
    title="A chair",
    url="https://house.example/lot-1",
    image_url="",
    publisher="House",
    attributes={"event_type": ["furniture"], "price": 200},
    price="200 EUR",
    price_before="",
    ends_at=datetime(2026, 3, 2, tzinfo=UTC),
    accepted_at=NOW,
    reasons=(Reason(3, "Chairs", (Held("price < 300", "price", 200),)),),
)
ITEM_AS_JSON = {
    "event": {
        "id": 7,
        "external_id": "lot-1",
        "revision": 2,
        "url": "https://house.example/lot-1",
        "title": "A chair",
        "image_url": "",
        "ends_at": "2026-03-02T00:00:00+00:00",
        "attributes": {"event_type": ["furniture"], "price": 200},
    },
    "matches": [
        {"subscription": 3, "why": [{"predicate": "price < 300", "attribute": "price", "value": 200}]}
    ],
}


@pytest.mark.parametrize(
    ("content", "type_", "data"),
    [
        (MatchFound(ITEM), "match.found", ITEM_AS_JSON),
        (
            Digest(items=(ITEM,), overflow=1, most_per_day=5, more=2),
            "match.digest",
            {"items": [ITEM_AS_JSON], "overflow": 1, "more": 2},
        ),
        (Verify("abc"), "channel.verify", {"challenge": "abc"}),
        (Test(), "channel.test", {}),
        (
            ExpiresSoon(
                day=NOW.date(), searches=(Ending(subscription=3, name="Chairs", expires_at=NOW),), more=2
            ),
            "subscription.expires_soon",
            {
                "date": "2026-03-01",
                "subscriptions": [{"subscription": 3, "name": "Chairs", "expires_at": NOW.isoformat()}],
                "more": 2,
            },
        ),
        (
            ChannelDisabled(channel=1, address="https://a.example/", reason="Gone."),
            "channel.disabled",
            {"channel": 1, "address": "https://a.example/", "reason": "Gone."},
        ),
        (
            GivenUp(channel=1, address="https://a.example/", deliveries=4),
            "channel.given_up",
            {"channel": 1, "address": "https://a.example/", "deliveries": 4},
        ),
    ],
)
def test_every_message_has_a_type_and_its_data(content: Content, type_: str, data: object) -> None:
    body = payload(content, now=NOW)
    assert body == {"type": type_, "timestamp": "2026-03-01T12:00:00+00:00", "data": data}
    assert json.loads(json.dumps(body)) == body


def test_an_item_without_an_end_says_so() -> None:
    assert payload(MatchFound(replace(ITEM, ends_at=None)), now=NOW)["data"]["event"]["ends_at"] is None
