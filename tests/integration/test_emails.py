"""Mails as a real mail server gets them: what they say, and their headers."""

import re
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from matching.models import PublishedEvent
from notifications.composing import composed
from notifications.core.messages import ChannelDisabled, GivenUp, Test, Verify
from notifications.models import Channel, Delivery, Preferences, Terms
from tests.integration.collector import NOW, Collector, item
from tests.integration.mailing import UID, mail_server, send
from tests.sinks import SmtpSink

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
DIGEST = Delivery.Kind.DIGEST


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def sink(tmp_path: Path, settings: Settings) -> Iterator[SmtpSink]:
    with mail_server(tmp_path / "mails", settings) as sink:
        yield sink


def arrived(sink: SmtpSink) -> EmailMessage:
    return sink.receipts()[-1].message


def part(mail: EmailMessage, kind: str) -> str:
    body = mail.get_body((kind,))
    assert body is not None
    return str(body.get_content())


def match_mail(collector: Collector, sink: SmtpSink, event: PublishedEvent, *names: str) -> EmailMessage:
    searches = [collector.searches(name=name) for name in names or ["Cheap"]]
    delivery = collector.is_told(*((event, search) for search in searches))
    send(collector, composed(delivery, now=NOW))
    return arrived(sink)


class Page(HTMLParser):
    """The tags, the places they lead to, and the words of a mail."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[tuple[str, str]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [(name, value or "") for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_match_says_the_item_the_price_the_end_why_and_the_link(
    collector: Collector, sink: SmtpSink
) -> None:
    Preferences.objects.create(owner=collector.user, time_zone="Europe/Paris")
    mail = match_mail(collector, sink, item(ends_at=NOW + timedelta(hours=3)), "Cheap", "Tables")
    assert mail["Subject"] == "Oak dining table - 180 EUR"
    assert mail["To"] == "collector@example.org"
    for words in (part(mail, "plain"), Page(part(mail, "html")).words):
        for said in (
            "Oak dining table",
            "180 EUR",
            "Ends in 3 h",
            "Monday 16 November 2026, 16:00 CET",
            "price at most 200 EUR: 180 EUR",
            "Cheap",
            "Tables",
            "Maison Belleroche",
        ):
            assert said in words
    assert "https://belleroche.example/lots/7" in part(mail, "plain")
    addresses = Page(part(mail, "html")).addresses
    assert ("href", "https://belleroche.example/lots/7") in addresses
    assert ("src", "https://belleroche.example/lots/7.jpg") in addresses


def test_its_headers_are_those_of_a_list_one_can_leave_in_one_click(
    collector: Collector, sink: SmtpSink
) -> None:
    mail = match_mail(collector, sink, item())
    assert mail["Message-ID"] == f"<{UID}@mail.example.org>"
    assert mail["List-Id"] == "Le Subscribe <searches.finds.example.org>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert re.fullmatch(
        r"<https://finds\.example\.org/notifications/unsubscribe/\S+>", mail["List-Unsubscribe"].strip()
    )
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@pytest.mark.parametrize(
    ("kind", "left"), [(Delivery.Kind.MATCH, Channel.Wants.EVERYTHING), (DIGEST, Channel.Wants.NOTICES)]
)
def test_the_address_in_the_header_leaves_the_search_of_a_match_and_all_of_a_digest(
    collector: Collector, sink: SmtpSink, client: Client, kind: str, left: str
) -> None:
    search = collector.searches()
    send(collector, composed(collector.is_told((item(), search), kind=kind), now=NOW))
    address = arrived(sink)["List-Unsubscribe"].strip(" <>")
    name, _, value = arrived(sink)["List-Unsubscribe-Post"].partition("=")
    assert client.post(address.removeprefix("https://finds.example.org"), {name: value}).status_code == 200
    assert Channel.objects.get().wants == left
    assert Terms.objects.filter(subscription=search, every_channel=False).exists() == (kind != DIGEST)


def test_every_attempt_carries_the_same_id(collector: Collector, sink: SmtpSink) -> None:
    for _ in range(2):
        send(collector, Test())
    assert len({receipt.id for receipt in sink.receipts()}) == 1


def test_a_digest_shows_twenty_items_and_counts_the_others(collector: Collector, sink: SmtpSink) -> None:
    search = collector.searches(name="Cheap")
    found = [(item(str(number), title=f"Lot number {number}."), search) for number in range(51)]
    send(collector, composed(collector.is_told(*found, kind=DIGEST, overflow=True), now=NOW))
    mail = arrived(sink)
    assert mail["Subject"] == "51 finds: Lot number 50. - 180 EUR, and 50 more"
    for words in (part(mail, "plain"), Page(part(mail, "html")).words):
        assert "And 31 more." in words
        assert "51 of them are here because you had all the messages of the day" in words
        assert [number for number in range(51) if f"Lot number {number}." in words] == list(range(31, 51))


def test_a_verification_has_its_link_and_nothing_to_unsubscribe_from(
    collector: Collector, sink: SmtpSink
) -> None:
    send(collector, Verify("challenge"))
    mail = arrived(sink)
    assert "https://finds.example.org/notifications/confirm/" in part(mail, "plain")
    assert mail["List-Unsubscribe"] is None


def test_all_other_mails_can_be_written(collector: Collector, sink: SmtpSink) -> None:
    disabled = ChannelDisabled(channel=1, address="https://hooks.example.org", reason="It answered 410.")
    for content, said in (
        (Test(), "It works"),
        (disabled, "It answered 410."),
        (GivenUp(channel=1, address="https://hooks.example.org", deliveries=3), "3 messages did not arrive"),
    ):
        send(collector, content)
        assert said in part(arrived(sink), "plain")
        assert said in Page(part(arrived(sink), "html")).words


def test_styles_are_on_the_elements_and_nothing_is_loaded_but_pictures(
    collector: Collector, sink: SmtpSink
) -> None:
    html = part(match_mail(collector, sink, item()), "html")
    assert re.search(r'<h1[^>]* style="[^"]*font-size: ?28px', html)
    assert "prefers-color-scheme: dark" in html
    page = Page(html)
    assert {value for name, value in page.addresses if name == "src"} == {
        "https://belleroche.example/lots/7.jpg"
    }
    assert page.tags.isdisjoint({"link", "script", "iframe", "object", "form"})
    assert not re.search(r"@import|url\(", html)


HOSTILE = [
    "Table\r\nBcc: everybody@example.org",
    "Table\n\nUnsubscribe here: https://evil.example",
    "=?utf-8?q?=0D=0ABcc:_everybody=40example.org?=",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><a href="javascript:alert(1)">here</a>',
    "</style><style>body{display:none}</style>",
    "</title><meta http-equiv=refresh content='0;https://evil.example'>",
    "' onmouseover='alert(1)",
    "{{ settings.SECRET_KEY }}{% now 'Y' %}",
    "\u202egnp.elbat\u202c \u200b\u2066x\u2069\x1b[31m\x07",
    "&lt;b&gt; &amp; &#x3c;script&#x3e;",
    "x" * 490,
    "=SUM(A1)",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_inert_in_headers_html_and_text(
    collector: Collector, sink: SmtpSink, text: str
) -> None:
    attributes = {"material": text, "title": text}
    event = item(text[:200], title=text, house=text[:100], attributes=attributes)
    harmless = Page(part(match_mail(collector, sink, item("harmless")), "html"))
    search = collector.searches("material exists and title exists", name=text[:200])
    send(collector, composed(collector.is_told((event, search)), now=NOW))
    receipt = sink.receipts()[-1]
    assert receipt.recipients == ["collector@example.org"]
    mail = receipt.message
    assert {name.lower() for name in mail} == {
        "subject", "from", "to", "date", "message-id", "mime-version", "content-type",
        "auto-submitted", "list-id", "list-unsubscribe", "list-unsubscribe-post",
    }  # fmt: skip
    assert mail.defects == []
    assert str(mail["Subject"]).isprintable()
    page = Page(part(mail, "html"))
    assert page.tags <= harmless.tags | {"bdi"}
    assert page.attributes <= harmless.attributes
    assert all(value.startswith("https://") for _, value in page.addresses)
    assert not any("evil.example" in value for _, value in page.addresses)
    assert not re.search(
        "[\u200b\u202a-\u202e\u2066-\u2069\x07\x1b]", part(mail, "html") + part(mail, "plain")
    )
    for line in part(mail, "plain").splitlines():
        assert not line.startswith(("Bcc", "Unsubscribe here"))


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "https://a.example/\r\nX: y", ""]
)
def test_an_address_that_is_not_of_the_web_is_no_link(
    collector: Collector, sink: SmtpSink, address: str
) -> None:
    mail = match_mail(collector, sink, item(url=address, image_url=address))
    page = Page(part(mail, "html"))
    assert all(value.startswith("https://finds.example.org") for _, value in page.addresses)
    assert "alert(1)" not in part(mail, "plain")


def test_the_log_has_recipient_subject_and_answer_but_no_link(collector: Collector, sink: SmtpSink) -> None:
    exchange = send(collector, Verify("challenge"))
    assert exchange.status == 250
    assert exchange.response == "Taken"
    assert "collector@example.org" in exchange.request
    assert "Do you want mails" in exchange.request
    assert UID in exchange.request
    assert "http" not in exchange.request
