"""Bombs are refused before they cost: by counting, never by expanding."""

from collections.abc import Callable

import pytest

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.language import Limits, parse
from schema_registry.language.normalise import count_conjunctions
from schema_registry.language.parser import read, syntax_tree
from tests.effort import effort
from tests.unit.schema_registry.examples import PAPER_SCHEMA, subscription


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (" and ".join(["(price = 1 or price = 2)"] * 40), r"gives 1,099,511,627,776; the limit is 64"),
        (" and ".join(f"(price={i} or price={i}.5)" for i in range(40)), "the limit is 64"),
        ("not (" + " or ".join(["(price = 1 and price = 2)"] * 40) + ")", "the limit is 64"),
        (" and ".join(["(" + " or ".join(["price=1"] * 2) + ")"] * 64), "far more"),
        (" or ".join(["price = 1"] * 65), "gives 65"),
        ("(" * 10_000 + "price = 1" + ")" * 10_000, "4,096 bytes"),
        ("(" * 33 + "price = 1" + ")" * 33, "nested 32 deep"),
        ("not (" * 33 + "price = 1" + ")" * 33, "nested 32 deep"),
        ("(" * 4096, "nested 32 deep"),
        ("price = 1 or " * 800_000, "4,096 bytes"),
        ("é" * 2049, "4,096 bytes"),
        (" and ".join(["price < 9"] * 129), "at most 128 predicates; this one has 129"),
        ("price = 1\0", "NUL"),
        ("material = '\ud800'", "surrogate"),
        ("price = 1e400", "too large"),
        ("price = 1e99999999999999999999", "too large"),
        ("price = " + "9" * 4000, "too large"),
        ("price = 0." + "0" * 400 + "1", "too close to zero"),
        ("price = NaN", "not a number"),
        ("price = 1234567890123456", "15 significant"),
        ("material = '" + "x" * 2001 + "'", "2,001 characters"),
    ],
)
def test_a_bomb_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(SubscriptionError, match=why):
        subscription(text)


def test_what_is_just_within_the_limits_is_accepted() -> None:
    assert subscription("(" * 32 + "price = 1" + ")" * 32)
    assert subscription(" and ".join(["price < 9"] * 128))
    assert len(subscription(" or ".join(f"price = {i}" for i in range(64))).conjunctions) == 64
    assert subscription("not " * 1001 + "price = 1").canonical == "price != 1"
    assert subscription("price = 1".ljust(4096))
    assert subscription("material = '" + "(" * 2000 + "'")


def test_limits_can_be_set() -> None:
    with pytest.raises(SubscriptionError, match="limit is 1"):
        parse("price = 1 or price = 2", PAPER_SCHEMA, limits=Limits(conjunctions=1))


def test_conjunctions_are_counted_on_the_text_as_written_without_expanding_it() -> None:
    assert count_conjunctions(syntax_tree(" and ".join(["(a=1 or a=2 or a=3)"] * 150))) == 3**150
    assert count_conjunctions(syntax_tree("not (a=1 and (b=2 or c=3))")) == 2
    assert count_conjunctions(syntax_tree("not (a=1 or b=2 and c=3)")) == 2


def _hierarchy(values: dict[str, str | None], labels: dict[str, str]) -> Schema:
    domain = {"kind": "hierarchical", "values": values, "labels": labels}
    return Schema.from_dict({"domains": {"d": domain}, "attributes": {"d": "d"}})


def _same_label_everywhere() -> tuple[Schema, str]:
    values: dict[str, str | None] = {f"r{i}": None for i in range(100)}
    values |= {f"o{i}": f"r{i}" if i < 100 else "r0" for i in range(20_000)}
    schema = _hierarchy(values, {value: "Other" for value in values if value[0] == "o"})
    return schema, " and ".join(f'd != "r{i} > Other"' for i in range(1, 100))


def _paths_in_a_deep_tree() -> tuple[Schema, str]:
    values = {f"n{i}-{j}": f"n{i}-{j - 1}" if j else None for i in range(60) for j in range(300)}
    schema = _hierarchy(values, dict.fromkeys(values, "Same"))
    return schema, " and ".join(f'd != "n{i}-{i} > {" > ".join(["Same"] * 5)}"' for i in range(60))


def _many_alternatives_on_a_chain() -> tuple[Schema, str]:
    schema = _hierarchy({f"d{i}": f"d{i - 1}" if i else None for i in range(999)}, {})
    alternatives = " and ".join(f"(d >= d{998 - 2 * i} or d >= d{997 - 2 * i})" for i in range(6))
    return schema, f"{alternatives} and {' and '.join(f'not d <= d{i}' for i in range(850, 966))}"


@pytest.mark.parametrize(
    "case", [_same_label_everywhere, _paths_in_a_deep_tree, _many_alternatives_on_a_chain]
)
def test_a_large_domain_does_not_make_a_short_text_expensive(case: Callable[[], tuple[Schema, str]]) -> None:
    schema, text = case()
    assert len(text) <= 4096
    with effort() as parsing:
        assert parse(text, schema).conjunctions
    assert parsing.calls < 300_000


@pytest.mark.parametrize(
    "text", ["(" * 32, "'" * 4096, "a = " * 1000, "a=1 or " * 580, "not " * 1024, "a in (1" + ",1" * 2000]
)
def test_the_parser_reads_each_token_of_a_text_once(text: str) -> None:
    reading = read(text)
    assert len(reading.tokens) <= len(text)
    starts = [token.start_pos or 0 for token in reading.tokens]
    assert starts == sorted(set(starts))
