"""What mails say besides the item: for which searches they are, how to hear less, what is about to end."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from pytest_django import Settings

from notifications import links
from notifications.composing import MOST_ENDING, composed
from notifications.core.messages import (
    ChannelDisabled,
    Content,
    Digest,
    Ending,
    ExpiresSoon,
    GivenUp,
    MatchFound,
    Test,
    Verify,
)
from notifications.letters import MOST_SEARCHES
from notifications.models import Channel, Delivery
from notifications.transports.base import Target
from notifications.transports.email import EmailTransport
from tests.integration.collector import NOW, Collector, item

Send = Callable[[Content], EmailMultiAlternatives]

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
DAY = timedelta(days=1)
ENDING = Ending(subscription=1, name="Oak", expires_at=NOW + 2 * DAY, words="made of is oak")


@pytest.fixture
def collector(settings: Settings) -> Collector:
    settings.BASE_URL = "https://finds.example.org"
    return Collector()


@pytest.fixture
def mail(collector: Collector, mailoutbox: list[EmailMultiAlternatives]) -> Send:
    """Sends a message and gives the mail."""
    channel = collector.channel
    target = Target(channel=channel.pk, owner=channel.owner_id, address=channel.address, secrets=())

    def send(content: Content) -> EmailMultiAlternatives:
        EmailTransport().send(target, content, uid="msg_1", now=NOW)
        return mailoutbox[-1]

    return send


def both_parts(mail: EmailMultiAlternatives) -> tuple[str, str]:
    """As text, and as HTML without its tags."""
    (html,) = (content for content, kind in mail.alternatives if kind == "text/html")
    return str(mail.body), re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", str(html)))


@pytest.mark.parametrize(
    "content",
    [
        Verify("challenge"),
        Test(),
        ExpiresSoon(day=ENDING.expires_at.date(), searches=(ENDING,)),
        ExpiresSoon(day=ENDING.expires_at.date(), searches=(ENDING, ENDING)),
        ChannelDisabled(channel=1, address="https://hooks.example.org", reason="Gone."),
        GivenUp(channel=1, address="https://hooks.example.org", deliveries=3),
    ],
)
def test_only_matches_are_a_list(mail: Send, content: Content) -> None:
    assert not [name for name in mail(content).message() if name.lower().startswith("list-")]


def test_a_test_says_how_to_stop_mails(mail: Send, client: Client) -> None:
    text, _ = both_parts(mail(Test()))
    assert "You did not ask for it?" in text
    (stop,) = re.findall(r"https://finds\.example\.org(/notifications/unsubscribe/\S+)", text)
    client.post(stop, {"scope": "everything"})
    assert Channel.objects.get().wants == Channel.Wants.NOTHING


@pytest.mark.parametrize(
    ("count", "rest"), [(10, ""), (11, "And 1 more search."), (13, "And 3 more searches.")]
)
@pytest.mark.parametrize("kind", [Delivery.Kind.MATCH, Delivery.Kind.DIGEST])
def test_ten_searches_are_named_and_the_others_counted(
    collector: Collector, mail: Send, kind: str, count: int, rest: str
) -> None:
    searches = [collector.searches(name=f"Search {number}.") for number in range(count)]
    event = item()
    content = composed(collector.is_told(*((event, search) for search in searches), kind=kind), now=NOW)
    for words in both_parts(mail(content)):
        body, _, foot = words.partition("See it") if "See it" in words else words.partition("--")
        for said in (body, foot):
            assert [n for n in range(count) if f"Search {n}." in said] == list(range(MOST_SEARCHES))
            assert ("more search" in said) == bool(rest)
            assert rest in said


def test_the_link_at_the_end_is_for_all_searches_also_those_that_are_not_named(
    collector: Collector, mail: Send
) -> None:
    searches = [collector.searches(name=f"Search {number}") for number in range(13)]
    event = item()
    content = composed(collector.is_told(*((event, search) for search in searches)), now=NOW)
    assert isinstance(content, MatchFound)
    (stop,) = re.findall(r"nothing at all:\n\S+/(\S+)", both_parts(mail(content))[0])
    assert links.read_unsubscribe(stop).searches == tuple(search.pk for search in searches)
    many = tuple(replace(content.item.reasons[0], subscription=number) for number in range(100))
    digest = Digest(items=(replace(content.item, reasons=many),), overflow=0, most_per_day=None)
    (stop,) = re.findall(r"nothing at all:\n\S+/(\S+)", both_parts(mail(digest))[0])
    assert links.read_unsubscribe(stop).searches == ()


def test_searches_that_end_together_are_in_one_mail_each_with_its_link(
    collector: Collector, mail: Send
) -> None:
    searches = tuple(
        replace(ENDING, subscription=number, name=f"Search {number}.") for number in range(MOST_ENDING)
    )
    sent = mail(ExpiresSoon(day=ENDING.expires_at.date(), searches=searches, more=31))
    assert sent.subject == "51 of your searches end on Wednesday 18 November"
    for words in both_parts(sent):
        assert all(search.name in words for search in searches)
        assert "Ends in 2 days, Wednesday 18 November 2026, 12:00 UTC" in words
        assert "And 31 more." in words
    tokens = re.findall(r"/notifications/renew/(\S+)", str(sent.body))
    about = [links.read_search("renew-search", token) for token in tokens]
    assert about == [links.OfSearch(collector.channel.pk, search.subscription) for search in searches]


def test_one_that_is_over_by_then_says_so(mail: Send) -> None:
    over = replace(ENDING, expires_at=NOW - timedelta(hours=1))
    for words in both_parts(mail(ExpiresSoon(day=NOW.date(), searches=(over, ENDING)))):
        assert "Has ended, Monday 16 November 2026, 11:00 UTC" in words
        assert "Ends in 2 days" in words


@pytest.mark.parametrize("count", [1, 2])
def test_no_attribute_of_a_mail_has_what_looks_like_a_tag(
    collector: Collector, mail: Send, count: int
) -> None:
    search = collector.searches(name="Oak")
    hostile = """Oak> <img src=x onerror=alert(1)> "t" a="<b>"""
    events = [item(str(number), title=hostile) for number in range(count)]
    kind = Delivery.Kind.DIGEST if count > 1 else Delivery.Kind.MATCH
    content = composed(collector.is_told(*((event, search) for event in events), kind=kind), now=NOW)
    ((html, _),) = mail(content).alternatives
    labels = re.findall(r'(?:aria-label|alt|title)="([^"]*)"', str(html))
    assert "Le Subscribe" in labels
    assert len(labels) == 1 + count
    assert not any("<" in label or ">" in label for label in labels)
    assert "Picture: Oak&gt; &lt;img src=x onerror=alert(1)&gt; &quot;t&quot; a=&quot;&lt;b&gt;" in labels
    assert "<img src=x" not in str(html)
