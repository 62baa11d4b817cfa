"""Links in mails: without signing in, for their purpose only, and never by merely looking at them."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing
from django.test import Client
from pytest_django import Settings

from matching import services
from matching.models import Subscription
from notifications import channels, links, selectors, terms
from notifications.core.policy import Frequency
from notifications.models import Channel
from schema_registry.accounts.models import User
from tests.integration.collector import Collector

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ONE_CLICK = {"List-Unsubscribe": "One-Click"}
Wants, State = Channel.Wants, Subscription.State


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def search(collector: Collector) -> Subscription:
    return collector.searches(name="Cheap")


@pytest.fixture
def browser() -> Client:
    """It checks the origin of forms as it does for real people, and has no cookies."""
    return Client(enforce_csrf_checks=True)


def change_link(search: Subscription) -> str:
    return links.change_address(_channel_of(search), search.pk)


def mute_link(search: Subscription) -> str:
    return links.mute_address(_channel_of(search), search.pk)


def renew_link(search: Subscription) -> str:
    return links.renew_address(_channel_of(search), search.pk)


def _channel_of(search: Subscription) -> int:
    """The first that its owner has."""
    return Channel.objects.filter(owner=search.owner_id).order_by("pk").values_list("pk", flat=True)[0]


def wants(collector: Collector) -> str:
    return Channel.objects.get(pk=collector.channel.pk).wants


def tells_on(search: Subscription) -> object:
    return selectors.chosen_channels(selectors.terms_of(Subscription.objects.get(pk=search.pk)))


def state(search: Subscription) -> str:
    return Subscription.objects.get(pk=search.pk).state


def press_undo(browser: Client, page: str) -> str:
    (address,) = re.findall(r'action="([^"]*/undo/[^"]*)"', page)
    return browser.post(address).content.decode()


def all_links(collector: Collector, search: Subscription) -> list[str]:
    channel = collector.channel.pk
    return [
        links.confirm_address(channel, "challenge"),
        links.unsubscribe_address(channel, [search.pk]),
        change_link(search),
        mute_link(search),
        renew_link(search),
    ]


def test_looking_changes_nothing(browser: Client, collector: Collector, search: Subscription) -> None:
    Channel.objects.update(state=Channel.State.PENDING)
    before = list(Channel.objects.values()), list(Subscription.objects.values())
    for address in all_links(collector, search):
        for look in (browser.get, browser.head, browser.options):
            answer = look(address)
            assert answer.status_code == (405 if look == browser.options else 200)
    assert (list(Channel.objects.values()), list(Subscription.objects.values())) == before
    assert tells_on(search) == "all"


def test_pages_are_kept_from_search_engines_and_caches(
    browser: Client, collector: Collector, search: Subscription
) -> None:
    for address in all_links(collector, search):
        answer = browser.get(address)
        assert answer["X-Robots-Tag"] == "noindex"
        assert "no-store" in answer["Cache-Control"]


def test_forged_cut_and_mixed_up_links_get_a_friendly_page(
    browser: Client, collector: Collector, search: Subscription
) -> None:
    mute = mute_link(search)
    token = mute.rpartition("/")[2]
    forged = [mute[:-1], mute.replace("/mute/", "/renew/"), mute.replace(token, "x" + token), mute + "%00"]
    forged += [mute.replace(token, each) for each in ("x", "a.b.c", "%F0%9F%92%A5", "x" * 3_000)]
    forged.append(mute.replace("/mute/", "/unsubscribe/"))
    for address in forged:
        for method in (browser.get, browser.post):
            answer = method(address)
            assert answer.status_code == 404, address
            assert "This link does not work" in answer.content.decode()
    assert state(search) == State.ACTIVE


def test_an_old_link_does_not_work_but_one_to_unsubscribe_does(
    browser: Client, collector: Collector, search: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    mute, stop = mute_link(search), links.unsubscribe_address(collector.channel.pk)
    later = (datetime.now(UTC) + timedelta(days=181)).timestamp()
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    assert browser.get(mute).status_code == 404
    assert browser.get(stop).status_code == 200


def test_a_link_for_another_site_s_key_does_not_work(
    browser: Client, search: Subscription, settings: Settings
) -> None:
    address = mute_link(search)
    settings.SECRET_KEY = "another"
    assert browser.get(address).status_code == 404


class TestAMailboxThatHasNoSayAnyMore:
    """Links to change, mute and renew are as good as the channel that their mail went to."""

    def check_none_works(self, browser: Client, search: Subscription, addresses: list[str]) -> None:
        before = list(Subscription.objects.values())
        for address in addresses:
            for answer in (browser.get(address), browser.post(address, {"days": "30", "frequency": "daily"})):
                assert answer.status_code == 404
                assert "This link does not work" in answer.content.decode()
        assert list(Subscription.objects.values()) == before
        assert selectors.terms_of(Subscription.objects.get(pk=search.pk)).frequency == Frequency.AT_ONCE

    @pytest.fixture
    def addresses(self, search: Subscription) -> list[str]:
        return [change_link(search), mute_link(search), renew_link(search)]

    def test_since_the_channel_was_removed(
        self, browser: Client, collector: Collector, search: Subscription, addresses: list[str]
    ) -> None:
        channels.remove(collector.channel.pk)
        self.check_none_works(browser, search, addresses)

    def test_since_its_address_left_the_account(
        self, browser: Client, collector: Collector, search: Subscription, addresses: list[str]
    ) -> None:
        channels.disable(collector.channel.pk, reason=channels.LEFT_THE_ACCOUNT, now=datetime.now(UTC))
        self.check_none_works(browser, search, addresses)
        channels.enable(collector.channel.pk, now=datetime.now(UTC))
        assert browser.get(addresses[0]).status_code == 200

    def test_since_the_owner_was_locked_out(
        self, browser: Client, search: Subscription, addresses: list[str]
    ) -> None:
        User.objects.update(is_active=False)
        self.check_none_works(browser, search, addresses)

    def test_since_it_is_another_person_s(
        self, browser: Client, collector: Collector, search: Subscription, addresses: list[str]
    ) -> None:
        Channel.objects.update(owner=User.objects.create_user("stranger@example.org"))
        self.check_none_works(browser, search, addresses)

    def test_but_one_that_is_only_switched_off_has(
        self, browser: Client, collector: Collector, addresses: list[str]
    ) -> None:
        channels.change(collector.channel.pk, state=Channel.State.DISABLED, now=datetime.now(UTC))
        assert [browser.get(address).status_code for address in addresses] == [200, 200, 200]


class TestConfirming:
    @pytest.fixture
    def pending(self, collector: Collector) -> Channel:
        Channel.objects.update(state=Channel.State.PENDING, verified_at=None)
        return Channel.objects.get(pk=collector.channel.pk)

    def test_the_button_makes_the_channel_active(self, browser: Client, pending: Channel) -> None:
        address = links.confirm_address(pending.pk, pending.challenge)
        assert "Confirm" in browser.get(address).content.decode()
        assert "is confirmed" in browser.post(address).content.decode()
        pending.refresh_from_db()
        assert pending.state == Channel.State.ACTIVE
        assert pending.verified_at is not None
        assert "is confirmed" in browser.get(address).content.decode()

    def test_a_link_is_for_its_own_challenge_only(self, browser: Client, pending: Channel) -> None:
        address = links.confirm_address(pending.pk, pending.challenge)
        Channel.objects.update(challenge="a newer one")
        assert browser.post(address).status_code == 404
        assert Channel.objects.get().state == Channel.State.PENDING

    def test_a_link_works_for_seven_days(
        self, browser: Client, pending: Channel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = links.confirm_address(pending.pk, pending.challenge)
        now = datetime.now(UTC)
        for days, status in ((6.9, 200), (7.1, 404)):
            later = (now + timedelta(days=days)).timestamp()
            monkeypatch.setattr("django.core.signing.time.time", lambda later=later: later)
            assert browser.get(address).status_code == status

    def test_it_does_not_switch_on_what_was_switched_off(self, browser: Client, pending: Channel) -> None:
        address = links.confirm_address(pending.pk, pending.challenge)
        Channel.objects.update(state=Channel.State.DISABLED)
        assert browser.post(address).status_code == 404
        assert Channel.objects.get().state == Channel.State.DISABLED


class TestUnsubscribing:
    def test_from_one_search_on_this_channel_and_back(
        self, browser: Client, collector: Collector, search: Subscription
    ) -> None:
        other = collector.adds_channel("other@example.org")
        address = links.unsubscribe_address(collector.channel.pk, [search.pk])
        page = browser.post(address, {"scope": "searches"}).content.decode()
        assert "Cheap" in page
        assert tells_on(search) == [other.pk]
        assert wants(collector) == Wants.EVERYTHING
        assert "as it was before" in press_undo(browser, page)
        assert tells_on(search) == "all"

    def test_undoing_gives_back_just_the_channel_that_was_chosen(
        self, browser: Client, collector: Collector, search: Subscription
    ) -> None:
        collector.adds_channel("other@example.org")
        terms.choose(search, channels=[collector.channel.pk])
        address = links.unsubscribe_address(collector.channel.pk, [search.pk])
        page = browser.post(address, {"scope": "searches"}).content.decode()
        assert tells_on(search) == []
        press_undo(browser, page)
        assert tells_on(search) == [collector.channel.pk]

    @pytest.mark.parametrize(("scope", "left"), [("all", Wants.NOTICES), ("everything", Wants.NOTHING)])
    def test_from_all_searches_or_everything_and_back(
        self, browser: Client, collector: Collector, search: Subscription, scope: str, left: str
    ) -> None:
        address = links.unsubscribe_address(collector.channel.pk, [search.pk])
        browser.post(address, {"scope": scope})
        page = browser.post(address, {"scope": scope}).content.decode()  # twice is once
        assert wants(collector) == left
        assert tells_on(search) == "all"
        press_undo(browser, page)
        assert wants(collector) == Wants.EVERYTHING

    def test_without_a_choice_nothing_happens(
        self, browser: Client, collector: Collector, search: Subscription
    ) -> None:
        address = links.unsubscribe_address(collector.channel.pk, [search.pk])
        for body in ({}, {"scope": "the world"}, {"List-Unsubscribe": "Two-Clicks"}):
            assert browser.post(address, body).status_code == 400
        of_a_digest = links.unsubscribe_address(collector.channel.pk)
        assert browser.post(of_a_digest, {"scope": "searches"}).status_code == 400
        assert (wants(collector), tells_on(search)) == (Wants.EVERYTHING, "all")

    def test_in_one_click_from_the_search_of_a_match(
        self, browser: Client, collector: Collector, search: Subscription
    ) -> None:
        address = links.unsubscribe_address(collector.channel.pk, [search.pk])
        answer = browser.post(address, ONE_CLICK)
        assert answer.status_code == 200
        assert (wants(collector), tells_on(search)) == (Wants.EVERYTHING, [])

    def test_in_one_click_from_all_searches_of_a_digest(
        self, browser: Client, collector: Collector, search: Subscription
    ) -> None:
        address = links.unsubscribe_address(collector.channel.pk)
        body = "List-Unsubscribe=One-Click"
        answer = browser.post(address, body, content_type="application/x-www-form-urlencoded")
        assert answer.status_code == 200
        assert (wants(collector), tells_on(search)) == (Wants.NOTICES, "all")

    def test_in_one_click_from_what_is_gone(
        self, browser: Client, collector: Collector, search: Subscription
    ) -> None:
        address = links.unsubscribe_address(collector.channel.pk, [search.pk])
        services.unsubscribe(search)
        assert browser.post(address, ONE_CLICK).status_code == 200
        Channel.objects.all().delete()
        assert browser.post(address, ONE_CLICK).status_code == 200
        assert browser.get(address).status_code == 404

    def test_another_person_s_search_is_not_touched(self, browser: Client, collector: Collector) -> None:
        stranger = User.objects.create_user("stranger@example.org")
        theirs = services.subscribe(
            stranger, "price exists", now=datetime.now(UTC), name="Theirs"
        ).subscription
        address = links.unsubscribe_address(collector.channel.pk, [theirs.pk])
        assert "Theirs" not in browser.get(address).content.decode()
        browser.post(address, ONE_CLICK)
        assert tells_on(theirs) == "all"

    def test_a_link_that_would_be_too_long_is_about_all_searches(self, collector: Collector) -> None:
        address = links.unsubscribe_address(collector.channel.pk, range(links.MOST_SEARCHES + 1))
        assert links.read_unsubscribe(address.rpartition("/")[2]).searches == ()


class TestASearch:
    def test_is_muted_and_unmuted(self, browser: Client, search: Subscription) -> None:
        page = browser.post(mute_link(search)).content.decode()
        assert state(search) == State.MUTED
        press_undo(browser, page)
        assert state(search) == State.ACTIVE

    def test_that_was_paused_is_so_again_after_undoing(self, browser: Client, search: Subscription) -> None:
        services.change(search, state=State.PAUSED, now=datetime.now(UTC))
        press_undo(browser, browser.post(mute_link(search)).content.decode())
        assert state(search) == State.PAUSED

    def test_tells_as_often_as_chosen(self, browser: Client, search: Subscription) -> None:
        address = change_link(search)
        assert browser.post(address, {"frequency": "never"}).status_code == 400
        page = browser.post(address, {"frequency": "daily"}).content.decode()
        assert "once a day" in page
        search = Subscription.objects.get(pk=search.pk)
        assert selectors.terms_of(search).frequency == Frequency.DAILY
        press_undo(browser, page)
        assert selectors.terms_of(Subscription.objects.get(pk=search.pk)).frequency == Frequency.AT_ONCE

    def test_is_renewed_also_when_it_is_over(self, browser: Client, search: Subscription) -> None:
        services.renew(search, now=datetime.now(UTC) - timedelta(days=9), valid_days=1)
        address = renew_link(search)
        assert "It ended on" in browser.get(address).content.decode()
        assert browser.post(address, {"days": "31"}).status_code == 400
        assert "It goes on until" in browser.post(address, {"days": "365"}).content.decode()
        search.refresh_from_db()
        assert search.expires_at is not None
        assert timedelta(days=364) < search.expires_at - datetime.now(UTC) <= timedelta(days=365)

    def test_offers_to_be_renewed_for_as_long_as_it_was_made_for(
        self, browser: Client, collector: Collector
    ) -> None:
        search = collector.searches(days=3_650)
        page = browser.get(renew_link(search)).content.decode()
        assert re.search(r'value="3650"\s+checked', page)

    def test_that_is_over_is_not_muted(self, browser: Client, search: Subscription) -> None:
        services.renew(search, now=datetime.now(UTC) - timedelta(days=9), valid_days=1)
        answer = browser.post(mute_link(search))
        assert answer.status_code == 409
        assert "has ended" in answer.content.decode()

    def test_that_was_removed_is_gone(self, browser: Client, search: Subscription) -> None:
        services.unsubscribe(search)
        for address in (mute_link(search), renew_link(search)):
            answer = browser.post(address, {"days": "30"})
            assert answer.status_code == 404
            assert "not there any more" in answer.content.decode()


def test_undoing_needs_a_button_and_is_forgotten_after_an_hour(
    browser: Client, search: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = browser.post(mute_link(search)).content.decode()
    (address,) = re.findall(r'action="([^"]*/undo/[^"]*)"', page)
    assert browser.get(address).status_code == 405
    later = (datetime.now(UTC) + timedelta(hours=2)).timestamp()
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    assert browser.post(address).status_code == 404
    assert state(search) == State.MUTED


def test_tokens_do_not_show_what_they_are_signed_with(collector: Collector, settings: Settings) -> None:
    address = links.atom_address(collector.user.pk)
    assert settings.SECRET_KEY not in address
    with pytest.raises(signing.BadSignature):
        signing.loads(address.rpartition("/")[2])
