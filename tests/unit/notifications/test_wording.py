"""How things are said: subjects, prices, times, reasons; and how hostile text is made harmless."""

import random
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from notifications.core.reasons import held_in_words, predicate_in_words, search_in_words
from notifications.core.wording import (
    day_in_words,
    ends_in,
    exact_moment,
    number_with_unit,
    one_line,
    price_in_words,
    time_left,
    web_link,
)
from schema_registry.core.schema import Schema
from schema_registry.language import parse

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
SCHEMA = Schema.from_dict(
    {
        "domains": {
            "money": {"kind": "numeric", "unit": "EUR"},
            "count": {"kind": "numeric"},
            "name": {"kind": "string"},
            "words": {"kind": "text"},
            "period": {"kind": "enumerated", "values": ["XVII", "XVIII"], "order": [["XVII", "XVIII"]]},
            "furniture": {
                "kind": "hierarchical",
                "values": {"furniture": None, "table": "furniture", "dining-table": "table"},
                "labels": {"table": "Tables", "dining-table": "Dining table"},
            },
        },
        "attributes": {
            "price": "money",
            "drawers": "count",
            "made_of": "name",
            "title": "words",
            "period": "period",
            "furniture_category": "furniture",
        },
        "event_types": {},
        "version": 1,
    }
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Oak table", "Oak table"),
        ("Oak\r\nBcc: all@example.org", "Oak Bcc: all@example.org"),
        ("  a \t b\x00\x1b[31m\x7f c\u2028d\x85e ", "a b [31m c d e"),
        ("\u202eelbat\u202c \u2066x\u2069", "elbat x"),
        ("o\u200ba\u00adk\ufeff\u2060", "oak"),
        ("\ufffe\uffff\ufdd0x", "x"),
        (
            "\U0001f468\u200d\U0001f469 \u0645\u06cc\u200c\u0631\u0648\u062f",
            "\U0001f468\u200d\U0001f469 \u0645\u06cc\u200c\u0631\u0648\u062f",
        ),
        ("שולחן", "שולחן"),
        ("", ""),
    ],
)
def test_a_text_is_put_on_one_line_without_what_cannot_be_seen(text: str, line: str) -> None:
    assert one_line(text) == line


def test_a_long_text_is_cut_however_much_of_it_is_invisible() -> None:
    assert one_line("word " * 3_000, most=20) == "word word word word…"
    assert len(one_line("\u200b" * 10_000 + "x", most=20)) <= 20


def test_no_text_whatsoever_breaks_a_line() -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for _ in range(2_000):
        text = "".join(chr(rng.choice((rng.randrange(0x300), rng.randrange(0x110000)))) for _ in range(30))
        line = one_line(text, most=40)
        assert len(line) <= 40
        assert line.splitlines() in ([], [line])
        assert line == line.strip()


@pytest.mark.parametrize(
    "address", ["https://a.example/x?y=1&z=2#t", "http://a.example", "HTTPS://a.example/"]
)
def test_addresses_of_the_web_are_links(address: str) -> None:
    assert web_link(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//a.example",
        "/lots/1",
        "https://",
        "https:///x",
        "https://a.example/\r\nX: y",
        "https://a.example/ b",
        "https://a.example/\u202ex",
        "http://[::1",
        "https://a.example/" + "x" * 2_000,
        "",
    ],
)
def test_other_addresses_are_not(address: str) -> None:
    assert web_link(address) == ""


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (180, "EUR", "180 EUR"),
        (1250, "EUR", "1,250 EUR"),
        (1250.5, "EUR", "1,250.50 EUR"),
        (12.5, "cm", "12.5 cm"),
        (0.125, "EUR", "0.125 EUR"),
        (1234567.25, None, "1,234,567.25"),
        (-5, None, "-5"),
        (1890, None, "1890"),
        (1e300, "EUR", "1e+300 EUR"),
        (7, "E\nU\u202eR", "7 E UR"),
    ],
)
def test_numbers_are_read_with_their_unit(value: float, unit: str | None, words: str) -> None:
    assert number_with_unit(value, unit) == words


@pytest.mark.parametrize(
    ("raw", "words"),
    [(180, "180 EUR"), ([180], "180 EUR"), ([220, 180], "from 180 EUR"), (None, ""), ("180", ""), ([], "")],
)
def test_a_price_is_the_lowest_of_its_values(raw: object, words: str) -> None:
    assert price_in_words(raw, SCHEMA.domain_of["price"]) == words


def test_a_price_that_is_no_number_is_no_price() -> None:
    assert price_in_words(180, SCHEMA.domain_of["made_of"]) == price_in_words(180, None) == ""


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(minutes=1), "1 min"),
        (timedelta(minutes=59, seconds=59), "59 min"),
        (timedelta(hours=1), "1 h"),
        (timedelta(hours=3, minutes=59), "3 h"),
        (timedelta(hours=47, minutes=59), "47 h"),
        (timedelta(days=2), "2 days"),
        (timedelta(days=9, hours=23), "9 days"),
    ],
)
def test_the_time_that_is_left_is_rounded_down(left: timedelta, words: str) -> None:
    assert time_left(NOW + left, now=NOW) == words
    assert ends_in(NOW + left, now=NOW) == f"ends in {words}"


def test_what_is_over_has_ended_and_what_has_no_end_says_nothing() -> None:
    assert ends_in(NOW, now=NOW) == "has ended"
    assert ends_in(None, now=NOW) == ""


def test_a_moment_is_told_by_the_clock_of_the_reader() -> None:
    assert exact_moment(NOW, ZoneInfo("Europe/Paris")) == "Monday 16 November 2026, 13:00 CET"
    assert exact_moment(NOW, UTC) == "Monday 16 November 2026, 12:00 UTC"


def test_a_day_has_its_weekday_and_no_leading_zero() -> None:
    assert day_in_words(date(2026, 3, 1)) == "Sunday 1 March"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("price <= 200", "price at most 200 EUR"),
        ("not price <= 200", "price above 200 EUR"),
        ("price between 1000 and 2000.5", "price between 1,000 EUR and 2,000.50 EUR"),
        ("not drawers between 2 and 4", "drawers not between 2 and 4"),
        ("made_of = oak", "made of is oak"),
        ("made_of != 'teak wood'", "made of is not teak wood"),
        ("made_of in (oak, pine)", "made of is one of oak, pine"),
        ("not made_of in (oak, pine)", "made of is none of oak, pine"),
        ("made_of in (a, b, c, d, e, f, g)", "made of is one of a, b, c, d, e, …"),
        ("made_of contains oak", "made of has oak"),
        ("not made_of contains oak", "made of does not have oak"),
        ("title contains 'dining oak'", "title has the words dining oak"),
        ("price exists", "price is given"),
        ("not price exists", "price is not given"),
        ("period < XVIII", "period below XVIII"),
        ("furniture_category <= table", "furniture category is a kind of Tables"),
        ("not furniture_category <= table", "furniture category is no kind of Tables"),
        ("furniture_category < furniture", "furniture category is a narrower kind than furniture"),
        (
            "furniture_category <= table and (price <= 200 or title contains oak)",
            "furniture category is a kind of Tables, and (price at most 200 EUR, or title has the words oak)",
        ),
        ("made_of = 'a\r\nb\u202e'", "made of is a b"),
    ],
)
def test_a_search_is_said_in_words(text: str, words: str) -> None:
    assert search_in_words(parse(text, SCHEMA).expression, SCHEMA.domain_of) == words


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        ("price <= 200", 180, "price at most 200 EUR: 180 EUR"),
        (
            "furniture_category <= table",
            "dining-table",
            "furniture category is a kind of Tables: Dining table",
        ),
        ("made_of = oak", "oak", "made of is oak"),
        ("made_of != oak", "pine", "made of is not oak: pine"),
        ("title contains oak", "oak", "title has the words oak"),
        ("not title contains oak", "A table\nof pine", "title does not have the words oak: A table of pine"),
        ("price exists", "180, 220", "price is given: 180 EUR, 220 EUR"),
        ("price exists", "1300", "price is given: 1,300 EUR"),
        ("not price exists", None, "price is not given"),
        ("made_of != oak", "<b>\r\n" + "x" * 10_000, f"made of is not oak: <b> {'x' * 75}…"),
    ],
)
def test_a_reason_has_the_value_unless_it_says_the_same_again(text: str, value: object, words: str) -> None:
    (predicate,) = parse(text, SCHEMA).conjunctions[0].predicates
    assert held_in_words(predicate, SCHEMA.domain_of[predicate.attribute], value) == words


@pytest.mark.parametrize("operator", ["=", "!=", "<", "<=", ">", ">=", "contains"])
@pytest.mark.parametrize("negation", ["", "not "])
def test_every_operator_can_be_said_plain_and_negated(operator: str, negation: str) -> None:
    (predicate,) = parse(f"{negation}furniture_category {operator} table", SCHEMA).conjunctions[0].predicates
    words = predicate_in_words(predicate, SCHEMA.domain_of["furniture_category"])
    assert words.startswith("furniture category ")
    assert words.endswith(" Tables")
