"""Every method of the Python client against the API itself: it is taken, and what comes back is read."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from lesubscribe_client import Envelope, Publisher, Refused, Subscriber, subscriber
from matching.models import PublishedEvent
from matching.models import Subscription as SubscriptionRow
from schema_registry.accounts.models import Publisher as PublisherRow
from schema_registry.accounts.models import Scope
from schema_registry.accounts.services import issue_key, publisher_named
from tests.integration.callers import key_of
from tests.integration.collector import match

pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.any_database]

BOW = {"event_type": ["bows"], "asking_price": 700}


@pytest.fixture
def house(live_server: LiveServer) -> Iterator[Publisher]:
    """An auction house with a vocabulary."""
    row = publisher_named("Atelier Lupot", state=PublisherRow.State.APPROVED)
    with Publisher(live_server.url, issue_key(row.user, [Scope.EVENTS, Scope.SCHEMA])[1]) as house:
        house.create_domain("euro", {"kind": "numeric", "min": 0, "unit": "EUR"})
        house.create_attribute("asking_price", "euro", why="All items have one.")
        house.create_event_type("bows", {"asking_price": ["mandatory", "unique"]})
        yield house


@pytest.fixture
def fan(house: Publisher, live_server: LiveServer) -> Iterator[Subscriber]:
    with Subscriber(live_server.url, key_of("fan@example.org")) as fan:
        yield fan


def test_the_vocabulary_grows_by_its_four_rules(house: Publisher) -> None:
    again = house.create_domain("ecu", {"kind": "numeric", "min": 0, "unit": "EUR"})
    assert again.equivalent_to == ["euro"]
    before = house.create_attribute("estimate", "euro")
    assert house.extend_event_type("bows", "estimate", multiple=True) == before + 1
    schema = house.schema()
    assert schema["version"] == before + 1
    assert schema["event_types"]["bows"]["estimate"] == ["optional", "multiple"]
    with pytest.raises(Refused) as refused:
        house.create_attribute("estimate", "euro")
    assert (refused.value.status, refused.value.kind) == (409, "conflict")


def test_views_are_kept_and_shown_as_json_schema(house: Publisher) -> None:
    made = house.create_view("shop", ["bows"], ["asking_price"])
    assert house.views() == [made]
    properties = house.json_schema(view="shop")["properties"]
    assert "asking_price" in properties
    assert house.json_schema(event_types=["bows"])["properties"] == properties


def test_an_item_is_published_changed_and_withdrawn(house: Publisher) -> None:
    ends_at = datetime(2030, 6, 1, 18, tzinfo=UTC)
    first = house.publish("bow-1", BOW, title="Bow", url="https://lupot.example/1", ends_at=ends_at)
    assert first.status_url.endswith(f"/api/v1/events/{first.id}")
    event = house.status(first.id)
    assert (event.title, event.ends_at, event.state, event.matched_at) == ("Bow", ends_at, "accepted", None)
    assert event.document == BOW
    assert house.publish("bow-1", BOW, title="Bow", url="https://lupot.example/1", ends_at=ends_at) == first
    second = house.publish("bow-1", {**BOW, "asking_price": 650})
    assert [each.id for each in house.revisions("bow-1")] == [second.id, first.id]
    house.withdraw(second.id)
    assert house.status(second.id).state == "withdrawn"
    with pytest.raises(Refused) as refused:
        house.publish("bow-2", {"event_type": ["bow"], "asking_price": "dear"})
    violations = {each.field: (each.code, each.suggestion) for each in refused.value.errors}
    assert violations == {"event_type": ("R1", "bows"), "asking_price": ("R2", None)}


def test_an_item_that_comes_twice_in_a_catalogue_has_two_revisions(house: Publisher) -> None:
    dear: Envelope = {"external_id": "bow-1", "event": BOW}
    cheap: Envelope = {"external_id": "bow-1", "event": {**BOW, "asking_price": 600}}
    first, second, third = house.publish_many([dear, cheap, cheap])
    assert (first.is_repeat, second.is_repeat, third.is_repeat) == (False, False, True)
    assert second.id == third.id
    assert [each.revision for each in house.revisions("bow-1")] == [2, 1]
    assert PublishedEvent.objects.count() == 2


def test_a_search_is_made_changed_renewed_and_removed(fan: Subscriber) -> None:
    made = fan.subscribe("asking_price <= 500", name="Bows", valid_days=5, frequency="daily", channels=[])
    assert (made.canonical, made.warnings) == ("asking_price <= 500", [])
    assert made.expires_at is not None
    assert (fan.pause(made.id).state, fan.mute(made.id).state) == ("paused", "muted")
    found = fan.subscription(made.id)
    assert (found.name, found.state, found.frequency, found.channels) == ("Bows", "muted", "daily", [])
    changed = fan.change(made.id, text="asking_price <= 400", channels="all")
    assert (changed.canonical, changed.channels, changed.warnings) == ("asking_price <= 400", "all", [])
    assert fan.resume(made.id).state == "active"
    assert fan.renew(made.id, valid_days=None).expires_at is None
    assert fan.renew(made.id).expires_at is not None
    fan.remove(made.id)
    assert list(fan.subscriptions()) == []
    with pytest.raises(Refused, match="404 not-found"):
        fan.remove(made.id)


def test_a_misspelt_search_is_told_with_its_place(fan: Subscriber) -> None:
    with pytest.raises(Refused) as refused:
        fan.preview("event_type contains bows and\n asking_prize < 5")
    assert (refused.value.kind, refused.value.line, refused.value.column) == ("invalid-subscription", 2, 2)
    assert refused.value.suggestion == "asking_price"
    preview = fan.preview("asking_price < 5", days=7)
    assert (preview.count, len(preview.days), preview.samples) == (0, 7, [])


def test_long_lists_come_page_by_page(fan: Subscriber, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriber, "MOST_ON_A_PAGE", 2)
    made = [fan.subscribe(f"asking_price = {price}").id for price in range(5)]
    fan.pause(made[0])
    assert [each.id for each in fan.subscriptions()] == made[::-1]
    assert [each.id for each in fan.subscriptions(state="paused")] == made[:1]


def test_matches_are_read_back_to_a_moment_and_marked_as_seen(fan: Subscriber, house: Publisher) -> None:
    search = SubscriptionRow.objects.get(pk=fan.subscribe("asking_price <= 700").id)
    rows = [
        match(PublishedEvent.objects.get(pk=house.publish(name, BOW).id), search) for name in ("old", "new")
    ]
    now = timezone.now()
    for row, age in zip(rows, (2, 1), strict=True):
        row.matched_at = now - timedelta(days=age)
        row.save()
    assert [each.event.external_id for each in fan.matches()] == ["new", "old"]
    (newest,) = fan.matches(since=now - timedelta(days=1.5))
    assert (newest.subscription, newest.event.attributes["asking_price"]) == (search.pk, 700)
    assert [held.predicate for held in newest.why] == ["asking_price <= 700"]
    assert fan.mark_seen([newest.id]) == 1
    assert [each.event.external_id for each in fan.matches(seen=False, subscription=search.pk)] == ["old"]


def test_channels_are_added_changed_and_removed_and_tell_what_they_sent(fan: Subscriber) -> None:
    made = fan.add_channel("webhook", "https://example.org/told")
    assert made.secret.startswith("whsec_")
    assert fan.change_channel(made.id, most_per_day=5, wants="notices").most_per_day == 5
    channel = fan.channel(made.id)
    assert (channel.state, channel.wants, channel.verified_at) == ("pending", "notices", None)
    assert channel.id in [each.id for each in fan.channels()]
    assert fan.rotate_secret(made.id).secret != made.secret
    with pytest.raises(Refused, match="409 not-active"):
        fan.test_channel(made.id)
    (sent,) = fan.deliveries(channel=made.id, state="waiting")
    assert (sent.kind, sent.event) == ("verify", None)
    assert fan.delivery(sent.id).log == []
    with pytest.raises(Refused, match="409 cannot-replay"):
        fan.replay(sent.id)
    fan.remove_channel(made.id)
    assert made.id not in [each.id for each in fan.channels()]
