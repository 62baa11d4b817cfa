"""How a subscription tells, and when a person may be told."""

from datetime import UTC, datetime, time

import pytest

from matching import services
from matching.models import Subscription
from notifications import channels, preferences, selectors, terms
from notifications.core.policy import Frequency, Revisions
from notifications.models import Channel, Preferences, Terms
from notifications.preferences import InvalidPreferences
from notifications.terms import ALL, UnknownChannel
from schema_registry import services as schema_services
from schema_registry.accounts.models import User

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("fan@example.org")


@pytest.fixture
def search(owner: User) -> Subscription:
    by_staff = schema_services.Author(None)
    schema_services.create_domain(by_staff, "money", {"kind": "numeric"})
    schema_services.create_attribute(by_staff, "price", "money")
    return services.subscribe(owner, "price < 5", now=NOW).subscription


def hook(owner: User, number: int) -> int:
    address = f"https://shop.example.org/{number}"
    return channels.add(owner, kind=Channel.Kind.WEBHOOK, address=address, now=NOW).pk


def told(search: Subscription) -> tuple[str, str, object]:
    """Its frequency, revisions and channels."""
    now = selectors.terms_of(Subscription.objects.get(pk=search.pk))
    return now.frequency, now.revisions, selectors.chosen_channels(now)


def test_without_terms_one_tells_at_once_on_every_channel(search: Subscription) -> None:
    terms.choose(search)
    assert not Terms.objects.exists()
    assert told(search) == ("at_once", "once", "all")


def test_what_is_not_chosen_stays_as_it_is(search: Subscription, owner: User) -> None:
    first, second = hook(owner, 1), hook(owner, 2)
    terms.choose(search, frequency=Frequency.DAILY)
    assert told(search) == ("daily", "once", "all")
    terms.choose(search, channels=[second, first])
    assert told(search) == ("daily", "once", [first, second])
    terms.choose(search, revisions=Revisions.PRICE_DROP, channels=[])
    assert told(search) == ("daily", "price_drop", [])
    terms.choose(search, channels=ALL)
    assert told(search) == ("daily", "price_drop", "all")


def test_a_channel_of_somebody_else_is_like_one_that_is_not_there(search: Subscription, owner: User) -> None:
    mine = hook(owner, 1)
    foreign = hook(User.objects.create_user("other@example.org"), 2)
    for channel in (foreign, 999_999):
        with pytest.raises(UnknownChannel, match=f"There is no channel {channel}."):
            terms.choose(search, frequency=Frequency.DAILY, channels=[mine, channel])
    assert told(search) == ("at_once", "once", "all")
    terms.choose(search, channels=[])
    with pytest.raises(UnknownChannel):
        terms.tell_again(search.pk, foreign)


def test_one_channel_is_left_out_and_taken_in_again(search: Subscription, owner: User) -> None:
    first, second = hook(owner, 1), hook(owner, 2)
    for _ in range(2):
        terms.stop_telling(search.pk, first)
        assert told(search) == ("at_once", "once", [second])
    terms.stop_telling(search.pk, second)
    assert told(search)[2] == []
    for _ in range(2):
        terms.tell_again(search.pk, first)
        assert told(search)[2] == [first]


def test_who_tells_on_every_channel_needs_nothing_to_tell_again(search: Subscription, owner: User) -> None:
    terms.tell_again(search.pk, hook(owner, 1))
    assert told(search)[2] == ALL


def test_a_removed_channel_is_no_longer_told_on(search: Subscription, owner: User) -> None:
    first, second, third = (hook(owner, number) for number in range(3))
    terms.choose(search, channels=[first, second])
    channels.remove(first)
    assert told(search)[2] == [second]
    assert [each.pk for each in selectors.channels_of(owner)] == [second, third]


def test_who_told_only_on_a_channel_that_is_removed_is_left_to_the_feed(
    search: Subscription, owner: User
) -> None:
    first, second = hook(owner, 1), hook(owner, 2)
    terms.choose(search, channels=[first, second])
    terms.stop_telling(search.pk, second)
    channels.remove(first)
    assert told(search)[2] == []


def test_terms_are_written_before_the_log_makes_others_wait(
    owner: User, search: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def log_changes(numbers: list[int]) -> None:
        seen.append(list(Terms.objects.filter(pk__in=numbers).values_list("frequency", flat=True)))

    monkeypatch.setattr(services, "log_changes", log_changes)
    made = services.subscribe(
        owner, "price < 6", now=NOW, also=lambda row: terms.choose(row, frequency=Frequency.WEEKLY)
    )
    services.change(
        made.subscription,
        now=NOW,
        text="price < 7",
        also=lambda row: terms.choose(row, frequency=Frequency.HOURLY),
    )
    assert seen == [["weekly"], ["hourly"]]


def test_terms_that_cannot_be_leave_no_subscription(owner: User, search: Subscription) -> None:
    with pytest.raises(UnknownChannel):
        services.subscribe(owner, "price < 6", now=NOW, also=lambda row: terms.choose(row, channels=[7]))
    assert list(Subscription.objects.all()) == [search]


class TestPreferences:
    def test_who_chose_nothing_is_told_at_any_hour_and_nothing_is_stored(self, owner: User) -> None:
        usual = preferences.of(owner)
        assert (usual.time_zone, usual.quiet_from, usual.digest_weekday) == ("UTC", None, 0)
        assert not Preferences.objects.exists()

    def test_what_is_chosen_is_kept_and_the_rest_stays(self, owner: User) -> None:
        preferences.change(owner, {"time_zone": "Europe/Paris", "digest_at": time(7, 30)})
        preferences.change(owner, {"quiet_from": time(22), "quiet_until": time(6)})
        now = preferences.of(owner)
        assert (now.time_zone, now.digest_at) == ("Europe/Paris", time(7, 30))
        assert (now.quiet_from, now.quiet_until) == (time(22), time(6))

    @pytest.mark.parametrize(
        ("wrong", "meant"),
        [
            ("Europe/Pari", "Europe/Paris"),
            ("europe/paris", "Europe/Paris"),
            ("Paris", "Europe/Paris"),
            ("New_York", "America/New_York"),
            ("../../etc/passwd", None),
            ("", None),
            ("x" * 5_000, None),
        ],
    )
    def test_a_wrong_time_zone_gets_a_suggestion(self, owner: User, wrong: str, meant: str | None) -> None:
        with pytest.raises(InvalidPreferences) as refusal:
            preferences.change(owner, {"time_zone": wrong})
        assert list(refusal.value.faults) == ["time_zone"]
        assert (f"Did you mean '{meant}'?" in str(refusal.value)) == (meant is not None)
        assert not Preferences.objects.exists()

    def test_quiet_hours_need_both_ends(self, owner: User) -> None:
        with pytest.raises(InvalidPreferences, match="both ends") as refusal:
            preferences.change(owner, {"quiet_from": time(22)})
        assert list(refusal.value.faults) == ["quiet_until"]
        assert preferences.of(owner).quiet_from is None
