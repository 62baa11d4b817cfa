"""The subjects of mails: the item and the price, or what it is about; safe for a header."""

from datetime import UTC, datetime, timedelta

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
    Test,
    Verify,
)
from notifications.core.wording import subject, title_of

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOSTILE = "A\r\nBcc: everybody@example.org\r\n\r\n<script>alert(1)</script>\u202e" + "x" * 10_000


def item(title: str = "Oak dining table", *, price: str = "180 EUR", price_before: str = "") -> Item:
    return Item(
        event=1,
        external_id="lot 7",
        revision=1,
        title=title,
        url="",
        image_url="",
        publisher="Maison Belleroche",
        attributes={},
        price=price,
        price_before=price_before,
        ends_at=None,
        accepted_at=NOW,
        reasons=(),
    )


def digest(*items: Item, more: int = 0) -> Digest:
    return Digest(items=items, overflow=0, most_per_day=None, more=more)


def ending(
    name: str = "Oak", *, left: timedelta = timedelta(days=2, hours=5), count: int = 1, more: int = 0
) -> ExpiresSoon:
    search = Ending(subscription=1, name=name, expires_at=NOW + left)
    return ExpiresSoon(day=search.expires_at.date(), searches=(search,) * count, more=more)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (MatchFound(item()), "Oak dining table - 180 EUR"),
        (MatchFound(item(price="")), "Oak dining table"),
        (MatchFound(item(price_before="220 EUR")), "Oak dining table - 180 EUR (was 220 EUR)"),
        (MatchFound(item("")), "lot 7 - 180 EUR"),
        (MatchFound(item("=?utf-8?q?=0D=0ABcc:_x=40x.org?=", price="")), "= ?utf-8?q?=0D=0ABcc:_x=40x.org?="),
        (digest(item()), "Oak dining table - 180 EUR"),
        (digest(item(), item("Chair")), "2 finds: Oak dining table - 180 EUR, and 1 more"),
        (
            digest(item(), item("Chair"), more=1_049),
            "1,051 finds: Oak dining table - 180 EUR, and 1,050 more",
        ),
        (Verify("x"), "Do you want mails from Le Subscribe?"),
        (Test(), "A test from Le Subscribe"),
        (ending(), "Your search “Oak” ends in 2 days"),
        (ending(left=timedelta(hours=-1)), "Your search “Oak” has ended"),
        (ending(count=12), "12 of your searches end on Wednesday 18 November"),
        (ending(count=20, more=9_980), "10,000 of your searches end on Wednesday 18 November"),
        (ending(left=timedelta(hours=-1), count=2), "2 of your searches ended on Monday 16 November"),
        (
            ChannelDisabled(channel=1, address="https://a.example/x", reason="Gone."),
            "We stopped sending to https://a.example/x",
        ),
        (GivenUp(channel=1, address="a@example.org", deliveries=1), "1 message did not reach a@example.org"),
        (GivenUp(channel=1, address="a@example.org", deliveries=2), "2 messages did not reach a@example.org"),
    ],
)
def test_a_subject_says_what_the_mail_is_about(content: Content, expected: str) -> None:
    assert subject(content, now=NOW) == expected


@pytest.mark.parametrize(
    "content",
    [
        MatchFound(item(HOSTILE)),
        digest(item(HOSTILE), item(HOSTILE)),
        ending(HOSTILE),
        ending(HOSTILE, count=2),
        ChannelDisabled(channel=1, address=HOSTILE, reason=HOSTILE),
        GivenUp(channel=1, address=HOSTILE, deliveries=1),
    ],
)
def test_a_subject_is_one_short_line_whatever_is_in_it(content: Content) -> None:
    line = subject(content, now=NOW)
    assert line.isprintable()
    assert len(line) < 160


def test_an_item_without_a_title_is_called_by_its_number() -> None:
    assert title_of(item("\u200b \n")) == "lot 7"
