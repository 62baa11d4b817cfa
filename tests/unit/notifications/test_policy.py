"""When somebody is told, on clocks that jump and through nights that nobody may disturb."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications.core.policy import (
    Frequency,
    Hours,
    Revisions,
    is_quiet,
    is_told_again,
    next_slot,
    not_quiet,
    quickest,
)

PARIS = "Europe/Paris"  # forward on 2026-03-29 at 02:00, back on 2026-10-25 at 03:00
NIGHT = (time(22), time(7))
ZONES = (
    "UTC",
    PARIS,
    "America/New_York",
    "America/St_Johns",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",  # jumps by half an hour
    "America/Asuncion",  # jumped at midnight
    "Pacific/Apia",  # left out a whole day
    "Pacific/Chatham",
    "Africa/Casablanca",
)
DIGESTS = (Frequency.HOURLY, Frequency.DAILY, Frequency.WEEKLY)


def local(text: str, zone: str = PARIS, *, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)


def hours(
    zone: str = PARIS, quiet: tuple[time, time] | None = None, at: str = "08:00", weekday: int = 0
) -> Hours:
    begin, end = quiet or (None, None)
    return Hours(
        zone=ZoneInfo(zone),
        quiet_from=begin,
        quiet_until=end,
        digest_at=time.fromisoformat(at),
        digest_weekday=weekday,
    )


def shown(moment: datetime, zone: str = PARIS) -> str:
    return moment.astimezone(ZoneInfo(zone)).isoformat(sep=" ", timespec="minutes")


@pytest.mark.parametrize(
    ("frequency", "after", "slot"),
    [
        # hourly: the next full hour of the clock, strictly later
        ("hourly", "2026-11-16T12:00:00", "2026-11-16 13:00+01:00"),
        ("hourly", "2026-11-16T12:59:59", "2026-11-16 13:00+01:00"),
        ("hourly", "2026-03-29T01:30:00", "2026-03-29 03:00+02:00"),
        ("hourly", "2026-10-25T01:30:00", "2026-10-25 02:00+02:00"),
        ("hourly", "2026-10-25T02:30:00", "2026-10-25 02:00+01:00"),
        # daily: at eight
        ("daily", "2026-11-16T07:59:00", "2026-11-16 08:00+01:00"),
        ("daily", "2026-11-16T08:00:00", "2026-11-17 08:00+01:00"),
        ("daily", "2026-03-28T12:00:00", "2026-03-29 08:00+02:00"),
        ("daily", "2026-12-31T23:00:00", "2027-01-01 08:00+01:00"),
        # weekly: on Mondays
        ("weekly", "2026-11-16T07:00:00", "2026-11-16 08:00+01:00"),
        ("weekly", "2026-11-16T08:00:00", "2026-11-23 08:00+01:00"),
        ("weekly", "2026-10-20T08:00:00", "2026-10-26 08:00+01:00"),
    ],
)
def test_a_digest_is_due_at_the_next_slot(frequency: str, after: str, slot: str) -> None:
    assert shown(next_slot(Frequency(frequency), after=local(after), hours=hours())) == slot


@pytest.mark.parametrize(
    ("after", "slot"),
    [
        ("2026-03-28T12:00:00", "2026-03-29 03:30+02:00"),  # half past two does not exist
        ("2026-03-29T04:00:00", "2026-03-30 02:30+02:00"),
        ("2026-10-24T12:00:00", "2026-10-25 02:30+02:00"),  # it comes twice; the first is taken
        ("2026-10-25T02:30:00", "2026-10-26 02:30+01:00"),  # and the second is not
    ],
)
def test_a_daily_digest_comes_once_on_days_when_the_clock_jumps(after: str, slot: str) -> None:
    assert shown(next_slot(Frequency.DAILY, after=local(after), hours=hours(at="02:30"))) == slot


@pytest.mark.parametrize(
    ("zone", "after", "slot"),
    [
        ("Asia/Kathmandu", "2026-11-16T12:10:00", "2026-11-16 13:00+05:45"),
        ("Australia/Lord_Howe", "2026-10-04T01:10:00", "2026-10-04 03:00+11:00"),  # 02:00 became 02:30
        ("Australia/Lord_Howe", "2026-04-05T01:40:00", "2026-04-05 02:00+10:30"),  # 02:00 became 01:30
    ],
)
def test_full_hours_are_those_of_the_persons_clock(zone: str, after: str, slot: str) -> None:
    assert shown(next_slot(Frequency.HOURLY, after=local(after, zone), hours=hours(zone)), zone) == slot


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        ("2026-11-16T21:59:59", "2026-11-16 21:59+01:00"),
        ("2026-11-16T22:00:00", "2026-11-17 07:00+01:00"),
        ("2026-11-17T00:00:00", "2026-11-17 07:00+01:00"),
        ("2026-11-17T06:59:59", "2026-11-17 07:00+01:00"),
        ("2026-11-17T07:00:00", "2026-11-17 07:00+01:00"),
        ("2026-03-28T23:00:00", "2026-03-29 07:00+02:00"),
        ("2026-10-24T23:00:00", "2026-10-25 07:00+01:00"),
    ],
)
def test_quiet_hours_over_midnight_delay_to_their_end(moment: str, told: str) -> None:
    assert shown(not_quiet(local(moment), hours(quiet=NIGHT))) == told


@pytest.mark.parametrize(
    ("quiet", "moment", "fold", "told"),
    [
        (
            (time(1), time(2, 30)),
            "2026-03-29T01:15:00",
            0,
            "2026-03-29 03:30+02:00",
        ),  # the end does not exist
        ((time(1), time(2, 30)), "2026-10-25T01:15:00", 0, "2026-10-25 02:30+02:00"),  # it comes twice
        ((time(1), time(2, 30)), "2026-10-25T02:15:00", 1, "2026-10-25 02:30+01:00"),
        (
            (time(3), time(2, 30)),
            "2026-03-28T04:00:00",
            0,
            "2026-03-30 02:30+02:00",
        ),  # no time at all that day
        ((time(12), time(12)), "2026-11-16T12:00:00", 0, "2026-11-16 12:00+01:00"),  # equal ends mean none
    ],
)
def test_quiet_hours_on_days_when_the_clock_jumps(
    quiet: tuple[time, time], moment: str, fold: int, told: str
) -> None:
    assert shown(not_quiet(local(moment, fold=fold), hours(quiet=quiet))) == told


def test_digests_that_the_night_delays_are_one() -> None:
    night = hours(quiet=NIGHT, at="06:00")
    moments = [local("2026-11-16T21:30:00") + timedelta(minutes=10 * step) for step in range(57)]
    assert {shown(next_slot(Frequency.HOURLY, after=moment, hours=night)) for moment in moments} == {
        "2026-11-17 07:00+01:00"
    }
    # What comes after six is still in time for the digest of six, which waits for seven.
    assert shown(next_slot(Frequency.DAILY, after=local("2026-11-17T06:30:00"), hours=night)) == (
        "2026-11-17 07:00+01:00"
    )


@pytest.mark.parametrize(
    ("revisions", "price", "price_told", "answer"),
    [
        (Revisions.ONCE, 5.0, 10.0, False),
        (Revisions.ALWAYS, 10.0, 10.0, True),
        (Revisions.ALWAYS, None, None, True),
        (Revisions.PRICE_DROP, 9.99, 10.0, True),
        (Revisions.PRICE_DROP, 10.0, 10.0, False),
        (Revisions.PRICE_DROP, 11.0, 10.0, False),
        (Revisions.PRICE_DROP, None, 10.0, False),
        (Revisions.PRICE_DROP, 5.0, None, False),
    ],
)
def test_whether_a_changed_item_is_told_again(
    revisions: Revisions, price: float | None, price_told: float | None, answer: bool
) -> None:
    assert is_told_again(revisions, price=price, price_told=price_told) is answer


def test_the_quickest_frequency_wins() -> None:
    assert quickest([Frequency.WEEKLY, Frequency.HOURLY, Frequency.DAILY]) is Frequency.HOURLY
    assert quickest(reversed(Frequency)) is Frequency.AT_ONCE


times = st.times().map(lambda each: each.replace(second=0, microsecond=0))
any_hours = st.builds(
    Hours,
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    quiet_from=st.none() | times,
    quiet_until=st.none() | times,
    digest_at=times,
    digest_weekday=st.integers(0, 6),
)
moments = st.timedeltas(timedelta(0), timedelta(days=11680)).map(
    lambda since: datetime(2005, 1, 1, tzinfo=UTC) + since
)


@given(moments, any_hours, st.sampled_from(DIGESTS))
def test_a_slot_is_strictly_later_soon_enough_and_never_quiet(
    after: datetime, person: Hours, frequency: Frequency
) -> None:
    slot = next_slot(frequency, after=after, hours=person)
    assert slot > after
    assert slot.utcoffset() == timedelta(0)
    assert not is_quiet(slot, person)
    # Quiet hours of nearly a day, and a day that the clock leaves out, may each delay it by a day.
    longest = {Frequency.HOURLY: 1.5 / 24, Frequency.DAILY: 1.1, Frequency.WEEKLY: 7.1}[frequency]
    assert slot - after <= timedelta(days=longest + 2.2)


@given(moments, st.timedeltas(timedelta(0), timedelta(days=8)), any_hours, st.sampled_from(DIGESTS))
def test_slots_stay_where_they_are_while_time_goes_on(
    first: datetime, later: timedelta, person: Hours, frequency: Frequency
) -> None:
    slot = next_slot(frequency, after=first, hours=person)
    second = next_slot(frequency, after=first + later, hours=person)
    assert second == slot if first + later < slot else second > slot


@given(moments, any_hours)
def test_a_moment_is_delayed_only_through_quiet_hours(moment: datetime, person: Hours) -> None:
    told = not_quiet(moment, person)
    assert told >= moment
    assert not is_quiet(told, person)
    assert (told == moment) is not is_quiet(moment, person)
    assert not_quiet(told, person) == told
    assert told - moment <= timedelta(days=2.2)


@given(moments, times, times)
def test_where_no_clock_jumps_the_delay_ends_with_the_quiet_hours(
    moment: datetime, begin: time, end: time
) -> None:
    person = Hours(quiet_from=begin, quiet_until=end)
    told = not_quiet(moment, person)
    if told != moment:
        assert told.time() == end
        assert told - moment <= timedelta(days=1)
