"""A day's matches in, planned deliveries out."""

from collections import Counter
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from notifications.core.planning import (
    Candidate,
    Planned,
    Recipient,
    Telling,
    ToldBefore,
    deliveries,
    needs,
    plan,
    portions,
    tellings,
    within_caps,
)
from notifications.core.policy import Frequency, Hours, Revisions, is_quiet

NOW = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)
AT_ONCE, HOURLY, DAILY, WEEKLY = Frequency
NIGHT_OWL = Hours(zone=ZoneInfo("America/New_York"), quiet_from=time(22), quiet_until=time(9))


def mail(channel: int = 1, *, most: int | None = None, hours: Hours | None = None) -> Recipient:
    return Recipient(channel, f"{channel}@example.org", most, hours or Hours())


def match(
    number: int,
    event: int,
    to: Recipient | None = None,
    frequency: Frequency = AT_ONCE,
    revisions: Revisions = Revisions.ONCE,
) -> Candidate:
    return Candidate(number, event, to or mail(), frequency, revisions)


def in_short(planned: list[Planned]) -> list[tuple[int, str, str, list[int]]]:
    """Channel, key, when, and the matches, those of an overflow with a minus."""
    return [
        (
            *each.key,
            f"{each.due:%d. %H:%M}",
            [-number if told.is_overflow else number for told in each.tellings for number in told.matches],
        )
        for each in planned
    ]


def test_a_days_matches_become_planned_deliveries() -> None:
    quick, owl = mail(1), mail(2, hours=NIGHT_OWL)
    day = [
        match(1, 100, quick),
        match(2, 100, quick, DAILY),  # goes along with the quicker one
        match(3, 101, quick, DAILY),
        match(4, 102, quick, HOURLY),
        match(5, 103, quick, WEEKLY),
        match(6, 104, quick, DAILY),
        match(7, 100, owl),  # half past seven in New York
        match(8, 101, owl, HOURLY),
    ]
    assert in_short(plan(day, now=NOW, told={}, used={})) == [
        (1, "daily:2026-11-17T08:00:00+00:00", "17. 08:00", [3, 6]),
        (1, "event:100", "16. 12:30", [1, 2]),
        (1, "hourly:2026-11-16T13:00:00+00:00", "16. 13:00", [4]),
        (1, "weekly:2026-11-23T08:00:00+00:00", "23. 08:00", [5]),
        (2, "event:100", "16. 14:00", [7]),
        (2, "hourly:2026-11-16T14:00:00+00:00", "16. 14:00", [8]),
    ]


def test_what_was_told_before_is_told_again_only_if_a_subscription_asks_for_it() -> None:
    dropped, same = ToldBefore(price=90, price_told=100), ToldBefore(price=100, price_told=100)
    found = [
        match(1, 1),
        match(2, 1, revisions=Revisions.PRICE_DROP),
        match(3, 2),
        match(4, 2, revisions=Revisions.PRICE_DROP),
        match(5, 3),
        match(6, 3, frequency=DAILY, revisions=Revisions.ALWAYS),
        match(7, 4),
    ]
    told = {(1, 1): dropped, (2, 1): same, (3, 1): same, (4, 9): same}
    assert in_short(plan(found, now=NOW, told=told, used={})) == [
        # The one that wants it again decides how quickly; the others go along.
        (1, "daily:2026-11-17T08:00:00+00:00", "17. 08:00", [5, 6]),
        (1, "event:1", "16. 12:30", [1, 2]),
        (1, "event:4", "16. 12:30", [7]),
    ]


def test_what_is_beyond_the_most_of_a_day_waits_for_the_daily_digest_and_says_so() -> None:
    capped = mail(most=3)
    found = [match(number, number, capped) for number in (1, 2, 3)]
    found += [match(4, 4, capped, HOURLY), match(5, 5, capped, DAILY)]
    used = {("1@example.org", NOW.date()): 1}
    assert in_short(plan(found, now=NOW, told={}, used=used)) == [
        (1, "daily:2026-11-17T08:00:00+00:00", "17. 08:00", [-3, -4, 5]),
        (1, "event:1", "16. 12:30", [1]),
        (1, "event:2", "16. 12:30", [2]),
    ]


def test_the_day_is_that_of_the_persons_clock_when_the_message_is_due() -> None:
    late = datetime(2026, 11, 16, 23, 30, tzinfo=UTC)
    paris = mail(most=1, hours=Hours(zone=ZoneInfo("Europe/Paris")))
    (told,) = tellings([match(1, 1, paris)], now=late, told={})
    assert told.day == ("1@example.org", datetime(2026, 11, 17, tzinfo=UTC).date())
    (slept,) = tellings([match(1, 1, mail(most=1, hours=NIGHT_OWL))], now=late + timedelta(hours=4), told={})
    assert slept.day == ("1@example.org", datetime(2026, 11, 17, tzinfo=UTC).date())
    assert tellings([match(1, 1, mail(most=1), DAILY)], now=late, told={})[0].day is None


def test_an_hourly_digest_takes_of_the_day_once_however_much_it_tells() -> None:
    capped = mail(most=1)
    wanted = tellings([match(number, number, capped, HOURLY) for number in (1, 2)], now=NOW, told={})
    day = ("1@example.org", NOW.date())
    assert needs(wanted, there=()) == {day: 1}
    assert within_caps(wanted, now=NOW, used={}) == wanted
    # One that is there already was counted when it was made.
    assert needs(wanted, there={wanted[0].key}) == {}
    assert within_caps(wanted, now=NOW, used={day: 1}, there={wanted[0].key}) == wanted
    assert all(each.is_overflow for each in within_caps(wanted, now=NOW, used={day: 1}))


def test_a_telling_moves_to_the_digest_after_its_own() -> None:
    (told,) = tellings([match(1, 1, frequency=DAILY)], now=NOW, told={})
    assert told.in_the_next_digest().key == (1, "daily:2026-11-18T08:00:00+00:00")


def test_a_portion_holds_about_so_many_rows_and_cuts_no_telling() -> None:
    sizes = [1, 1, 2, 30, 1]
    wanted = [Telling(size, mail(), tuple(range(size)), AT_ONCE, NOW) for size in sizes]
    cut = [[len(each.matches) for each in portion] for portion in portions(wanted, rows=6)]
    assert cut == [[1, 1], [2], [30], [1]]
    assert list(portions([], rows=6)) == []


quiet = st.none() | st.times().map(lambda each: each.replace(second=0, microsecond=0))
people = st.builds(
    Hours,
    zone=st.sampled_from(["UTC", "Europe/Paris", "Australia/Lord_Howe", "America/New_York"]).map(ZoneInfo),
    quiet_from=quiet,
    quiet_until=quiet,
    digest_weekday=st.integers(0, 6),
)
recipients = st.lists(st.tuples(people, st.none() | st.integers(0, 3)), min_size=1, max_size=3).map(
    lambda given: [
        Recipient(channel, f"{channel % 2}@example.org", most, hours)
        for channel, (hours, most) in enumerate(given)
    ]
)
moments = st.timedeltas(timedelta(0), timedelta(days=730)).map(
    lambda since: datetime(2025, 1, 1, tzinfo=UTC) + since
)


@st.composite
def days(draw: st.DrawFn) -> tuple[list[Candidate], dict[tuple[int, int], ToldBefore]]:
    """Matches of a few events on a few channels, some of which were told before."""
    reachable = draw(recipients)
    terms = st.tuples(
        st.integers(1, 6), st.sampled_from(reachable), st.sampled_from(Frequency), st.sampled_from(Revisions)
    )
    found = [Candidate(number, *given) for number, given in enumerate(draw(st.lists(terms, max_size=30)))]
    pairs = sorted({(each.event, each.recipient.channel) for each in found})
    prices = st.none() | st.floats(1, 9)
    before = st.none() | st.builds(ToldBefore, price=prices, price_told=prices)
    told = {pair: given for pair in pairs if (given := draw(before)) is not None}
    return found, told


@given(days(), moments)
def test_every_match_is_in_exactly_one_delivery_or_was_told_before(
    day: tuple[list[Candidate], dict[tuple[int, int], ToldBefore]], now: datetime
) -> None:
    found, told = day
    planned = plan(found, now=now, told=told, used={})
    entries = Counter(number for each in planned for one in each.tellings for number in one.matches)
    assert set(entries.values()) <= {1}
    assert len({each.key for each in planned}) == len(planned)
    items = Counter((one.event, one.recipient.channel) for each in planned for one in each.tellings)
    assert set(items.values()) <= {1}  # an item is told once on a channel
    for candidate in found:
        pair = candidate.event, candidate.recipient.channel
        assert (candidate.match in entries) is (pair in items)
        assert pair in items or (pair in told and candidate.revisions is not Revisions.ALWAYS)


@given(days(), moments)
def test_no_delivery_is_empty_early_or_in_quiet_hours(
    day: tuple[list[Candidate], dict[tuple[int, int], ToldBefore]], now: datetime
) -> None:
    found, told = day
    for each in plan(found, now=now, told=told, used={}):
        assert all(one.matches for one in each.tellings)
        assert {one.due for one in each.tellings} == {each.due}
        assert each.due > now if each.is_digest else each.due >= now
        assert not is_quiet(each.due, each.tellings[0].recipient.hours)


@given(days(), moments, st.integers(0, 4))
def test_an_address_gets_no_more_in_a_day_than_its_channels_allow(
    day: tuple[list[Candidate], dict[tuple[int, int], ToldBefore]], now: datetime, used_up: int
) -> None:
    found, told = day
    wanted = tellings(found, now=now, told=told)
    used = dict.fromkeys({each.day for each in wanted if each.day is not None}, used_up)
    planned = deliveries(within_caps(wanted, now=now, used=used))
    counts = Counter(used)
    for each in planned:
        if each.day is not None:
            counts[each.day] += 1
    for each in planned:
        if each.day is not None:
            allowed = [one.recipient.most_per_day or 0 for one in wanted if one.day == each.day]
            assert counts[each.day] <= max(*allowed, used_up)
    assert not any(
        one.is_overflow and one.frequency is not DAILY for each in planned for one in each.tellings
    )


@given(days(), moments)
def test_the_order_in_which_matches_come_changes_no_message_to_people_without_a_cap(
    day: tuple[list[Candidate], dict[tuple[int, int], ToldBefore]], now: datetime
) -> None:
    found, told = day
    free = [each for each in found if each.recipient.most_per_day is None]

    def messages(given: list[Candidate]) -> dict[tuple[int, str], set[int]]:
        return {
            each.key: {number for one in each.tellings for number in one.matches}
            for each in plan(given, now=now, told=told, used={})
        }

    assert messages(free) == messages(free[::-1])
