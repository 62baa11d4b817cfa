"""The dry run of a mapping."""

from matching.feeds.mapping import CORRUPT
from matching.feeds.trying import ReasonCount, tried
from tests.unit.feeds.market import ROW, SCHEMA, mapping


def test_the_first_rows_are_shown_before_and_after() -> None:
    broken = {CORRUPT: "{"}
    trial = tried(mapping(), SCHEMA, [ROW, broken, ROW], shown=2)
    first, second = trial.first
    assert (first.number, first.before, first.rejects) == (1, ROW, ())
    assert first.after is not None
    assert first.after["external_id"] == "17"
    assert first.after["event"]["woods"] == ["maple", "spruce"]
    assert (second.before, second.after, second.rejects[0].rule) == (broken, None, "corrupt")


def test_the_reasons_are_counted_the_most_frequent_first() -> None:
    rows = [
        {**ROW, "ItemID": "1", "Price": "call us"},
        {**ROW, "ItemID": "2", "Price": "ask us", "Town": "Atlantis"},
        {**ROW, "ItemID": "3"},
    ]
    trial = tried(mapping(), SCHEMA, rows)
    assert (trial.rows, trial.rejected, trial.duplicates, trial.events) == (3, 2, 0, 1)
    assert trial.reasons == (
        ReasonCount("mapping", "price", "'call us' is not a sum of money.", 2),
        ReasonCount("mapping", "town", "'Atlantis' is not a category that the mapping knows.", 1),
    )


def test_an_item_that_comes_again_is_a_duplicate() -> None:
    trial = tried(mapping(), SCHEMA, [ROW, {**ROW, "Price": "5"}])
    assert (trial.rows, trial.duplicates, trial.events) == (2, 1, 1)


def test_no_more_rows_are_looked_at_than_asked_for() -> None:
    rows = iter([ROW] * 10)
    assert tried(mapping(), SCHEMA, rows, most_rows=4).rows == 4
    assert len(list(rows)) == 6
    assert tried(mapping(), SCHEMA, []).rows == 0
