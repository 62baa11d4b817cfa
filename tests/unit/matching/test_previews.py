"""A preview is a pure function of pages of events, newest first."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from matching.previews import PastEvent, Preview, days_until, preview, start_of
from schema_registry.core.schema import Schema
from schema_registry.language import parse

SCHEMA = Schema.from_dict(
    {
        "domains": {"money": {"kind": "numeric"}},
        "attributes": {"price": "money"},
        "event_types": {"lot": {"price": ["mandatory", "unique"]}},
        "version": 2,
    }
)
NOW = datetime(2026, 11, 16, 0, 30, tzinfo=UTC)


def past(number: int, price: int, *, hours_ago: int = 0) -> PastEvent:
    event = SCHEMA.validate({"event_type": ["lot"], "price": price})
    return PastEvent(number, NOW - timedelta(hours=hours_ago), event)


def judged(
    *pages: list[PastEvent],
    text: str = "price < 20",
    days: int = 3,
    seconds_a_look: float = 0,
    most_events: int = 100,
) -> Preview:
    times = (look * seconds_a_look for look in range(1_000_000))
    return preview(
        parse(text, SCHEMA),
        pages,
        days=days_until(NOW, days),
        clock=lambda: next(times),
        most_events=most_events,
    )


def test_every_day_of_the_range_is_there_the_last_one_is_today() -> None:
    assert days_until(NOW, 3) == [date(2026, 11, 14), date(2026, 11, 15), date(2026, 11, 16)]
    assert judged().days == tuple((day, 0) for day in days_until(NOW, 3))
    assert days_until(datetime.fromisoformat("2026-11-16T00:30:00+01:00"), 1) == [date(2026, 11, 15)]
    assert start_of(date(2026, 11, 15)) == datetime(2026, 11, 15, tzinfo=UTC)


def test_matches_are_counted_by_the_day_they_were_accepted_on() -> None:
    found = judged([past(4, 5), past(3, 50), past(2, 6, hours_ago=1), past(1, 7, hours_ago=2)])
    assert found.count == 3
    assert found.days == ((date(2026, 11, 14), 0), (date(2026, 11, 15), 2), (date(2026, 11, 16), 1))
    assert (found.looked_at, found.complete, found.warnings) == (4, True, ())


def test_samples_are_the_ten_newest_and_tell_why() -> None:
    found = judged(
        [past(number, 5) for number in range(20, 12, -1)], [past(number, 5) for number in (12, 11, 10)]
    )
    assert [sample.number for sample in found.samples] == list(range(20, 10, -1))
    (held,) = found.samples[0].why
    assert (held.predicate, held.attribute, held.value) == ("price < 20", "price", 5)


def test_it_ends_after_so_many_events_and_says_so() -> None:
    found = judged([past(3, 5), past(2, 5, hours_ago=1)], [past(1, 5, hours_ago=2)], most_events=2)
    assert (found.count, found.looked_at, found.complete) == (2, 2, False)
    (warning,) = found.warnings
    assert "the newest 2, back to 2026-11-15 23:30 UTC" in warning
    assert judged([past(3, 5), past(2, 5)], most_events=2).complete
    cut = judged([past(3, 5), past(2, 5)], most_events=1)
    assert (cut.count, cut.complete) == (1, False)


def test_it_ends_when_its_time_is_over_but_not_before_the_first_page() -> None:
    found = judged([past(3, 5)], [past(2, 5)], seconds_a_look=4)
    assert (found.count, found.looked_at, found.complete) == (1, 1, False)
    assert judged([past(3, 5)], seconds_a_look=4).complete


def test_no_page_is_read_that_is_not_needed() -> None:
    def pages() -> Iterator[list[PastEvent]]:
        yield [past(2, 5), past(1, 5)]
        raise AssertionError("this page is one too many")

    cut = preview(parse("price < 20", SCHEMA), pages(), days=[], clock=lambda: 0, most_events=1)
    assert not cut.complete


def test_warnings_about_the_text_come_along() -> None:
    assert len(judged(text="price < 5 or (price < 1 and price > 2)").warnings) == 1
