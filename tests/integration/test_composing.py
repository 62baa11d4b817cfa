"""What a delivery says when it is sent: what is gone by then is left out, and the best comes first."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from matching import services
from matching.models import PublishedEvent, Subscription
from notifications import composing, terms
from notifications.composing import NothingToTell, composed
from notifications.core.messages import Content, Digest, ExpiresSoon, Item, MatchFound, Test, Verify
from notifications.core.policy import Revisions
from notifications.models import Channel, Delivery
from tests.integration.collector import NOW, Collector, item

pytestmark = pytest.mark.django_db
DIGEST = Delivery.Kind.DIGEST
HOUR = timedelta(hours=1)


@pytest.fixture
def collector() -> Collector:
    return Collector()


def the_item(content: Content) -> Item:
    assert isinstance(content, MatchFound)
    return content.item


def titles(content: Content) -> list[str]:
    assert isinstance(content, Digest)
    return [each.title for each in content.items]


def refusal(delivery: Delivery) -> str:
    with pytest.raises(NothingToTell) as caught:
        composed(delivery, now=NOW)
    return str(caught.value)


def test_a_match_lists_every_search_and_why_it_matched(collector: Collector) -> None:
    cheap = collector.searches("price <= 200", name="Cheap")
    tables = collector.searches("category <= table and title contains oak", name="Oak tables")
    found = item(attributes={"category": "dining-table", "title": "Dining table of oak"})
    told = the_item(composed(collector.is_told((found, cheap), (found, tables)), now=NOW))
    assert told.price == "180 EUR"
    assert told.price_before == ""
    assert told.publisher == "Maison Belleroche"
    said = {reason.name: [held.words for held in reason.why] for reason in told.reasons}
    assert said == {
        "Cheap": ["price at most 200 EUR: 180 EUR"],
        "Oak tables": ["category is a kind of Tables: Dining table", "title has the words oak"],
    }
    (held,) = told.reasons[0].why
    assert (held.predicate, held.attribute, held.value) == ("price <= 200", "price", 180)


def test_a_search_without_a_name_is_called_by_what_it_says(collector: Collector) -> None:
    told = the_item(composed(collector.is_told((item(), collector.searches())), now=NOW))
    assert told.reasons[0].name == "price at most 200 EUR"


def test_what_is_gone_by_then_is_not_told(collector: Collector) -> None:
    search = collector.searches()
    states = PublishedEvent.State
    assert "withdrawn" in refusal(collector.is_told((item("a", state=states.WITHDRAWN), search)))
    assert "over" in refusal(collector.is_told((item("b", ends_at=NOW), search)))
    old = item("c")
    item("c", revision=2)
    assert "newer revision" in refusal(collector.is_told((old, search)))
    gone = item("d")
    item("d", revision=2, state=states.WITHDRAWN)
    assert "newer revision" in refusal(collector.is_told((gone, search)))


@pytest.mark.parametrize("state", [PublishedEvent.State.PARKED, PublishedEvent.State.ACCEPTED])
def test_a_newer_revision_that_is_not_matched_does_not_hide_the_one_before_it(
    collector: Collector, state: PublishedEvent.State
) -> None:
    old = item()
    item(revision=2, state=state)
    assert the_item(composed(collector.is_told((old, collector.searches())), now=NOW)).revision == 1


@pytest.mark.parametrize("state", [Subscription.State.PAUSED, Subscription.State.MUTED])
def test_a_search_that_is_not_active_tells_nothing(collector: Collector, state: Subscription.State) -> None:
    search = collector.searches()
    delivery = collector.is_told((item(), search))
    services.change(search, state=state, now=NOW)
    assert "not active" in refusal(delivery)


def test_an_expired_a_removed_and_a_closed_account_s_search_tell_nothing(collector: Collector) -> None:
    expired, removed, other = (collector.searches(days=days) for days in (0, 30, 30))
    services.unsubscribe(removed)
    assert "not active" in refusal(collector.is_told((item("a"), expired)))
    assert "not active" in refusal(collector.is_told((item("b"), removed)))
    collector.user.is_active = False
    collector.user.save()
    assert "not active" in refusal(collector.is_told((item("c"), other)))


def test_only_the_searches_that_still_tell_here_are_listed(collector: Collector) -> None:
    kept, stopped, muted = collector.searches(name="kept"), collector.searches(), collector.searches()
    found = item()
    delivery = collector.is_told((found, kept), (found, stopped), (found, muted))
    terms.stop_telling(stopped.pk, collector.channel.pk)
    services.change(muted, state=Subscription.State.MUTED, now=NOW)
    assert [reason.name for reason in the_item(composed(delivery, now=NOW)).reasons] == ["kept"]
    terms.stop_telling(kept.pk, collector.channel.pk)
    assert refusal(delivery)


def test_a_channel_that_wants_no_matches_gets_none(collector: Collector) -> None:
    delivery = collector.is_told((item(), collector.searches()))
    collector.channel.wants = Channel.Wants.NOTICES
    collector.channel.save()
    assert "not wanted" in refusal(Delivery.objects.get(pk=delivery.pk))


def test_a_drop_in_price_since_the_last_telling_is_said(collector: Collector) -> None:
    search = collector.searches()
    terms.choose(search, revisions=Revisions.PRICE_DROP)
    delivered = Delivery.State.DELIVERED
    collector.is_told((item(price=200), search), state=delivered, attempts=1)
    dropped = item(price=190, revision=2)
    collector.is_told((dropped, search), state=Delivery.State.DROPPED, attempts=1)
    cheaper = item(price=180, revision=3)
    told = the_item(composed(collector.is_told((cheaper, search)), now=NOW))
    assert (told.price, told.price_before) == ("180 EUR", "200 EUR")  # 190 was never said


def test_a_price_that_rose_or_was_not_told_here_has_no_price_before(collector: Collector) -> None:
    search = collector.searches()
    terms.choose(search, revisions=Revisions.ALWAYS)
    collector.is_told((item("rose", price=100), search), state=Delivery.State.DELIVERED, attempts=1)
    collector.is_told((item("untold", price=500), search))
    for name in ("rose", "untold"):
        found = item(name, price=150, revision=2)
        assert the_item(composed(collector.is_told((found, search)), now=NOW)).price_before == ""


def test_a_digest_has_what_most_searches_found_first_and_then_the_newest(collector: Collector) -> None:
    one, two = collector.searches("price <= 200"), collector.searches("price <= 300")
    old, best, new = (item(name, title=name) for name in ("old", "best", "new"))
    delivery = collector.is_told((old, one), (best, one), (best, two), (new, two), kind=DIGEST)
    content = composed(delivery, now=NOW)
    assert titles(content) == ["best", "new", "old"]


def test_a_digest_leaves_out_what_is_gone_and_says_what_is_here_for_the_cap(collector: Collector) -> None:
    search = collector.searches()
    collector.channel.most_per_day = 5
    gone, there = item("gone", ends_at=NOW - HOUR), item("there", title="there", ends_at=NOW + HOUR)
    delivery = collector.is_told((gone, search), (there, search), kind=DIGEST, overflow=True)
    content = composed(delivery, now=NOW)
    assert titles(content) == ["there"]
    assert isinstance(content, Digest)
    assert (content.overflow, content.most_per_day) == (1, 5)


def test_a_huge_digest_carries_the_best_and_counts_the_rest(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composing, "MOST_ITEMS", 3)
    search = collector.searches()
    found = [(item(str(number), title=str(number)), search) for number in range(5)]
    content = composed(collector.is_told(*found, kind=DIGEST), now=NOW)
    assert titles(content) == ["4", "3", "2"]
    assert isinstance(content, Digest)
    assert content.more == 2


def test_a_digest_of_many_items_takes_few_queries(
    collector: Collector, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    searches = [collector.searches(f"price <= {bound}") for bound in (200, 300, 400)]
    items = [item(str(number)) for number in range(30)]
    found = [(each, search) for each in items for search in searches]
    delivery = Delivery.objects.select_related("channel").get(pk=collector.is_told(*found, kind=DIGEST).pk)
    composed(delivery, now=NOW)  # which brings the schema into memory
    with django_assert_max_num_queries(6):  # two, and which of the schemas in memory is the right one
        composed(delivery, now=NOW)


def test_an_item_without_a_price_or_a_title_is_told_too(collector: Collector) -> None:
    search = collector.searches("category exists")
    found = item(price=None, title="", attributes={"category": "table"})
    told = the_item(composed(collector.is_told((found, search)), now=NOW))
    assert (told.price, told.title) == ("", "")


def test_a_text_that_was_changed_since_has_no_reason(collector: Collector) -> None:
    search = collector.searches()
    delivery = collector.is_told((item(), search))
    services.change(search, text="price <= 10", now=NOW)
    assert the_item(composed(delivery, now=NOW)).reasons[0].why == ()


def planned(collector: Collector, kind: Delivery.Kind, key: str, about: dict[str, object]) -> Delivery:
    return Delivery.objects.create(
        channel=collector.channel, kind=kind, key=key, about=about, planned_at=NOW, next_attempt_at=NOW
    )


def test_a_verification_is_for_the_challenge_of_a_channel_that_waits(collector: Collector) -> None:
    delivery = planned(collector, Delivery.Kind.VERIFY, "verify:challenge", {})
    assert "does not wait" in refusal(delivery)
    collector.channel.state = Channel.State.PENDING
    assert composed(delivery, now=NOW) == Verify("challenge")
    collector.channel.challenge = "another"
    assert "does not wait" in refusal(delivery)


def test_a_test_is_a_test(collector: Collector) -> None:
    assert composed(planned(collector, Delivery.Kind.TEST, "test:1", {}), now=NOW) == Test()


def test_the_end_of_a_search_is_told_unless_it_was_renewed_or_removed(collector: Collector) -> None:
    search = collector.searches("category <= table and price <= 200", name="Tables", days=30)
    assert search.expires_at is not None
    about: dict[str, object] = {"about": "expires_soon", "date": search.expires_at.date().isoformat()}
    delivery = planned(collector, Delivery.Kind.NOTICE, "notice:1", about)
    content = composed(delivery, now=NOW)
    assert isinstance(content, ExpiresSoon)
    assert content.searches[0].words == "category is a kind of Tables, and price at most 200 EUR"
    services.unsubscribe(collector.searches("price <= 100"))
    services.renew(search, now=NOW + 24 * HOUR)
    assert refusal(delivery) == "The searches were renewed or removed."


def test_a_channel_that_wants_nothing_gets_no_notice(collector: Collector) -> None:
    about = {"about": "given_up", "channel": 1, "address": "https://x.example", "deliveries": 2}
    delivery = planned(collector, Delivery.Kind.NOTICE, "notice:1", about)
    collector.channel.wants = Channel.Wants.NOTHING
    assert "Nothing is wanted" in refusal(delivery)
    assert "Nothing is wanted" in refusal(planned(collector, Delivery.Kind.TEST, "test:1", {}))
