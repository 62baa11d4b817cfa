"""Dates of feeds: formats, zones, and the quick reading that must agree with the slow one."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.feeds.amounts import UnreadableError
from matching.feeds.moments import _by_pattern, moment_reader, value_of

FORMATS = ("%b-%d-%y %H:%M:%S", "%d.%m.%Y", "%Y-%m-%d %H:%M", "%m/%d/%Y %H", "%d %b %Y", "%H:%M:%S %d/%m/%y")
PIECES = st.sampled_from(
    ["Dec", "feb", "13", "01", "31", "2001", "7", "60", "18:10:40", "-", ".", " ", "/", ":"]
)


def test_a_moment_is_read_in_the_zone_of_the_site() -> None:
    read = moment_reader(("%b-%d-%y %H:%M:%S",), "America/Los_Angeles")
    assert read("Dec-13-01 18:10:40") == datetime(2001, 12, 14, 2, 10, 40, tzinfo=UTC)
    assert read("Jul-13-01 18:10:40") == datetime(2001, 7, 14, 1, 10, 40, tzinfo=UTC)


def test_the_first_format_that_fits_counts() -> None:
    read = moment_reader(("%d.%m.%Y", "iso", "unix"), "Europe/Berlin")
    assert read("13.12.2001") == datetime(2001, 12, 12, 23, tzinfo=UTC)
    assert read("2001-12-13T18:10:40-08:00") == datetime(2001, 12, 14, 2, 10, 40, tzinfo=UTC)
    assert read("2001-12-13") == datetime(2001, 12, 12, 23, tzinfo=UTC)
    assert read("1008295840") == datetime(2001, 12, 14, 2, 10, 40, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["soon", "Feb-30-01 10:00:00", "", "9" * 30, "nan", "0001-01-01T00:00:00+14:00"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError, match="is not a date as in"):
        moment_reader(("%b-%d-%y %H:%M:%S", "iso", "unix"), "Asia/Tokyo")(text)


def test_an_hour_that_occurs_twice_is_the_first() -> None:
    read = moment_reader(("%Y-%m-%d %H:%M",), "Europe/Berlin")
    assert read("2026-10-25 02:30") == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_an_attribute_gets_the_moment_the_day_or_the_year_where_the_site_is() -> None:
    moment = datetime(2001, 1, 1, 2, tzinfo=UTC)
    assert value_of(moment, "moment", "America/Los_Angeles") == "2001-01-01T02:00:00Z"
    assert value_of(moment, "day", "America/Los_Angeles") == "2000-12-31"
    assert value_of(moment, "year", "America/Los_Angeles") == 2000


@pytest.mark.parametrize(
    ("text", "zone"),
    [("0001-01-01T00:00:00Z", "America/Los_Angeles"), ("9999-12-31T23:59:59Z", "Asia/Tokyo")],
)
@pytest.mark.parametrize("gives", ["day", "year"])
def test_a_day_outside_of_the_calendar_is_refused(text: str, zone: str, gives: str) -> None:
    moment = moment_reader(("iso",), zone)(text)
    with pytest.raises(UnreadableError, match="the calendar of"):
        value_of(moment, gives, zone)


@given(st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31)), st.sampled_from(FORMATS))  # noqa: DTZ001
def test_the_quick_reading_of_dates_is_that_of_strptime(moment: datetime, form: str) -> None:
    _assert_the_same(form, moment.strftime(form))


@given(st.lists(PIECES, max_size=9).map("".join), st.sampled_from(FORMATS))
def test_the_quick_reading_of_anything_is_that_of_strptime(text: str, form: str) -> None:
    _assert_the_same(form, text)


def _assert_the_same(form: str, text: str) -> None:
    quick = _by_pattern(form)
    assert quick is not None
    assert _read(quick, text) == _read(partial(_slowly, form), text)


def _slowly(form: str, text: str) -> datetime:
    return datetime.strptime(text, form)  # noqa: DTZ007 - the mapping's zone comes later


def _read(reader: Callable[[str], datetime], text: str) -> datetime | None:
    try:
        return reader(text)
    except ValueError:
        return None
