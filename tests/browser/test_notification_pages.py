"""Mails and what their links lead to, in a real browser: the buttons, undoing, the look."""

import re
from datetime import timedelta
from email import message_from_bytes, policy
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, Route, expect

from matching.models import Subscription
from notifications import links
from notifications.composing import composed
from notifications.core.messages import Content, Ending, ExpiresSoon, GivenUp, Test
from notifications.letters import Letter, written
from notifications.models import Channel, Delivery
from tests.browser.looks import check_look
from tests.integration.collector import NOW, Collector, item
from tests.integration.test_emails import HOSTILE
from tests.integration.test_live_service import key, post
from tests.integration.test_unsubscribing import change_link, mute_link, renew_link
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database

PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"><rect width="800" height="600"/></svg>'
)


@pytest.fixture
def search(collector: Collector) -> Subscription:
    return collector.searches("category <= table and price <= 200", name="Tables under 200 EUR")


def written_digest(collector: Collector, titles: list[str]) -> Letter:
    search = collector.searches(name=titles[0][:200])
    ends_at = NOW + timedelta(hours=3)
    found = [
        (item(str(number), title=title, house=title[:100], ends_at=ends_at), search)
        for number, title in enumerate(titles)
    ]
    delivery = collector.is_told(*found, kind=Delivery.Kind.DIGEST, overflow=True)
    return letter(collector, composed(delivery, now=NOW))


def letter(collector: Collector, content: Content) -> Letter:
    channel = collector.channel
    zone = ZoneInfo("Europe/Paris")
    return written(content, channel=channel.pk, address=channel.address, zone=zone, now=NOW)


def show(page: Page, letter: Letter) -> None:
    def picture(route: Route) -> None:
        route.fulfill(body=PICTURE, content_type="image/svg+xml")

    page.route("https://belleroche.example/**", picture)
    page.set_content(letter.html)


def test_an_address_is_confirmed_by_a_button(collector: Collector, page: Page) -> None:
    Channel.objects.update(state=Channel.State.PENDING)
    page.goto(links.confirm_address(collector.channel.pk, "challenge"))
    assert Channel.objects.get().state == Channel.State.PENDING
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your address is confirmed")
    assert Channel.objects.get().state == Channel.State.ACTIVE


def test_somebody_stops_all_searches_and_changes_their_mind(
    collector: Collector, search: Subscription, page: Page
) -> None:
    page.goto(links.unsubscribe_address(collector.channel.pk, [search.pk]))
    expect(page.get_by_label("Messages of the search Tables under 200 EUR")).to_be_checked()
    page.get_by_label("Messages of all my searches").check()
    page.get_by_role("button", name="Stop it").click()
    expect(page.get_by_role("status")).to_contain_text("We send no more matches to collector@example.org")
    assert Channel.objects.get().wants == Channel.Wants.NOTICES
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("It is as it was before")
    assert Channel.objects.get().wants == Channel.Wants.EVERYTHING


def test_a_search_is_told_of_less_often_muted_and_renewed(search: Subscription, page: Page) -> None:
    page.goto(change_link(search))
    page.get_by_label("Once a day at most").check()
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("status")).to_contain_text("We tell you once a day at most")
    page.goto(mute_link(search))
    page.get_by_role("button", name="Mute").click()
    expect(page.get_by_role("status")).to_contain_text("is muted")
    page.goto(renew_link(search))
    page.get_by_label("A year").check()
    page.get_by_role("button", name="Renew").click()
    expect(page.get_by_role("status")).to_contain_text("It goes on until")
    search.refresh_from_db()
    assert search.state == Subscription.State.MUTED
    assert search.expires_at is not None
    assert search.expires_at > timezone.now() + timedelta(days=300)


def test_from_a_published_item_to_a_mail_whose_links_work(system: RunningSystem, page: Page) -> None:
    reader, house = key(system, "subscriber", "reader@example.org"), key(system, "publisher", "House")
    post(system, reader, "channels", {"kind": "email", "address": "elsewhere@example.org"})
    page.goto(link_in_mail(system, "Do you want mails", "/notifications/confirm/"))
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your address is confirmed")

    post(system, house, "schema/domains", {"name": "feet", "definition": {"kind": "numeric"}})
    post(system, house, "schema/attributes", {"name": "length_in_feet", "domain": "feet"})
    event_type = {"name": "board", "attributes": {"length_in_feet": ["mandatory", "unique"]}}
    post(system, house, "schema/event-types", event_type)
    post(system, reader, "subscriptions", {"text": "length_in_feet <= 200", "name": "Short ones"})
    event = {"event_type": ["board"], "length_in_feet": 180}
    post(system, house, "events", {"external_id": "1", "title": "Oak dining table", "event": event})

    page.goto(link_in_mail(system, "Oak dining table", "/notifications/mute/"))
    page.get_by_role("button", name="Mute").click()
    expect(page.get_by_role("status")).to_contain_text("Short ones is muted")


def link_in_mail(system: RunningSystem, subject: str, path: str) -> str:
    """The link with this path in the first mail to elsewhere@ with this subject, once it is in the outbox."""

    def found() -> str:
        for file in (system.var / "outbox").glob("*.eml"):
            mail = message_from_bytes(file.read_bytes(), policy=policy.default)
            if mail["To"] == "elsewhere@example.org" and str(mail["Subject"]).startswith(subject):
                body = mail.get_body(("plain",))
                assert body is not None
                return str(re.findall(rf"http\S+{path}\S+", body.get_content())[0])
        return ""

    return wait_until(found, seconds=300, why=lambda: system.log[-2_000:])


def test_pages_are_accessible_and_fit_every_width(
    collector: Collector, search: Subscription, chromium: Browser
) -> None:
    Channel.objects.update(state=Channel.State.PENDING)
    long = collector.searches("price <= 300", name="x" * 200)
    channel = collector.channel.pk
    pages = {
        "confirm": links.confirm_address(channel, "challenge"),
        "unsubscribe": links.unsubscribe_address(channel, [search.pk, long.pk]),
        "change": change_link(long),
        "mute": mute_link(long),
        "renew": renew_link(search),
        "bad link": mute_link(search)[:-1],
    }
    page = chromium.new_page()  # the browser complains of the 404 on its console
    for name, address in pages.items():
        page.goto(address)
        check_look(page, name)
        if (button := page.get_by_role("main").get_by_role("button")).count():
            with page.expect_navigation():
                button.first.click()
            check_look(page, f"{name}, done")
    page.close()


def test_a_mail_is_accessible_and_fits_every_width(collector: Collector, page: Page) -> None:
    show(page, written_digest(collector, ["Oak dining table", "x" * 490, "Delft plate " * 20]))
    # Mail programs show it inside a page of their own, which has the landmarks.
    check_look(page, "digest", without=("region", "landmark-one-main"))


def test_notices_and_tests_are_accessible_and_fit_every_width(collector: Collector, page: Page) -> None:
    texts = {"Oak": "made of is oak", "x" * 200: "x" * 1_000, "<b>": HOSTILE[0]}
    searches = tuple(
        Ending(subscription=number, name=name, words=words, expires_at=NOW + timedelta(hours=30 * number))
        for number, (name, words) in enumerate(texts.items())
    )
    contents: dict[str, Content] = {
        "one search ends": ExpiresSoon(day=NOW.date(), searches=searches[1:2]),
        "several searches end": ExpiresSoon(day=NOW.date(), searches=searches, more=31),
        "test": Test(),
        "given up": GivenUp(channel=1, address="https://hooks.example/" + "x" * 300, deliveries=3),
    }
    for what, content in contents.items():
        show(page, letter(collector, content))
        check_look(page, what, without=("region", "landmark-one-main"))


def test_nothing_hostile_in_a_mail_or_on_a_page_comes_alive(collector: Collector, page: Page) -> None:
    alive: list[str] = []
    page.on("dialog", lambda dialog: alive.append(dialog.message))
    page.on("request", lambda request: alive.append(request.url) if "evil" in request.url else None)
    show(page, written_digest(collector, HOSTILE))
    expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    for text in HOSTILE:
        search = collector.searches(name=text[:200])
        for address in (
            links.unsubscribe_address(collector.channel.pk, [search.pk]),
            mute_link(search),
            renew_link(search),
        ):
            page.goto(address)
            assert page.locator("main script, main img, main a[href^=javascript]").count() == 0
    assert alive == []
