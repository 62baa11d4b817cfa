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
