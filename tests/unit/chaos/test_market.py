"""What the runs of `make chaos` send is valid, and matches often enough to tell something."""

from random import Random

from schema_registry.language import parse
from tests.chaos import market


def test_items_and_searches_are_valid_and_many_fit_together() -> None:
    random = Random(1)
    events = [market.SCHEMA.validate(market.item(random)) for _ in range(100)]
    searches = [parse(market.search(random), market.SCHEMA) for _ in range(100)]
    matches = sum(search.matches(event) for search in searches for event in events)
    assert 0.1 < matches / 10_000 < 0.5


def test_a_few_items_are_for_the_whole_crowd() -> None:
    random = Random(1)
    crowd = parse(market.CROWD_TEXT, market.SCHEMA)
    wanted = sum(crowd.matches(market.SCHEMA.validate(market.item(random))) for _ in range(1000))
    assert 5 < wanted < 50


def test_what_is_added_to_the_schema_is_used_and_changes_nothing_else() -> None:
    extras = ("extra1", "extra2")
    plain, grown = Random(1), Random(1)
    larger = market.schema(extras)
    for _ in range(50):
        before, after = market.item(plain), market.item(grown, extras)
        assert {name: value for name, value in after.items() if name not in extras} == before
        larger.validate(after)
        text, longer = market.search(plain), market.search(grown, extras)
        assert text in longer
        parse(longer, larger)
    drawn = [market.item(grown, extras) for _ in range(100)]
    assert all(any(extra in item for item in drawn) for extra in extras)
