"""Finding names by a part of them, and drawing partial orders as lines."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema_registry.core.domains import EnumeratedDomain
from schema_registry.name_search import NameSearch
from schema_registry.order_chains import chains, unordered
from schema_registry.value_index import index_of
from tests.unit.schema_registry.examples import TAXONOMY, finite

NAMES = ("Dining tables", "Tables", "table-lamp", "Vegetables", "Régence", "C++", "it's", "Straße 7", "_x_")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("tables", ["Tables", "Dining tables", "Vegetables"]),
        ("TABLE", ["Tables", "table-lamp", "Dining tables", "Vegetables"]),
        ("lamp", ["table-lamp"]),
        ("table-l", ["table-lamp"]),
        ("ning tab", ["Dining tables"]),
        ("regence", ["Régence"]),
        ("Re\u0301g", ["Régence"]),
        ("+", ["C++"]),
        ("strasse", ["Straße 7"]),
        ("  it's ", ["it's"]),
        ("x", ["_x_"]),
        ("", []),
        ("\x1f", []),
        ("a\nb", []),
        ("x" * 300, []),
        ("\u0301" * 100, []),
    ],
)
def test_whole_names_come_before_beginnings_words_and_parts(typed: str, found: list[str]) -> None:
    assert NameSearch((name, name) for name in NAMES).hits(typed, most=50) == found


@given(
    st.lists(st.text("abé -_'", max_size=6), max_size=20),
    st.text("abé -_'", min_size=1, max_size=3),
)
def test_all_names_with_the_text_in_them_are_found_once(names: list[str], typed: str) -> None:
    def plain(name: str) -> str:
        return name.replace("é", "e")

    found = NameSearch((name, name) for name in names).hits(typed, most=100)
    wanted = plain(typed.strip())
    assert len(found) == len(set(found))
    assert set(found) == ({name for name in names if wanted in plain(name)} if wanted else set())


def test_no_more_are_found_than_asked_for_and_none_that_are_left_out() -> None:
    search = NameSearch((f"name {number}", str(number)) for number in range(100))
    assert search.hits("name", most=3, without={"0"}) == ["1", "2", "3"]


def test_values_are_found_by_label_and_identifier_the_more_general_first() -> None:
    index = index_of(finite(TAXONOMY))
    assert index.hits("desk", most=9) == ["7", "5"]
    assert index.hits("3", most=9) == ["3"]
    assert (list(index.children(None)), list(index.children("1"))) == (["1", "2", "7"], ["3"])


def ordered(values: str, pairs: list[str]) -> EnumeratedDomain:
    domain = finite({"kind": "enumerated", "values": list(values), "order": [list(pair) for pair in pairs]})
    assert isinstance(domain, EnumeratedDomain)
    return domain


def test_an_order_is_drawn_without_what_goes_without_saying() -> None:
    line = ordered("abcdx", ["ab", "bc", "cd", "ad", "ac"])
    assert (chains(line), unordered(line)) == ([list("abcd")], ["x"])
    split = ordered("abcde", ["ab", "bd", "ac", "cd", "de"])
    assert chains(split) == [list("abde"), list("acd")]


@given(st.integers(0, 2**32 - 1))
def test_the_lines_of_an_order_say_all_of_it(seed: int) -> None:
    rng = random.Random(seed)
    values = "abcdefgh"
    pairs = [low + high for i, low in enumerate(values) for high in values[i + 1 :] if rng.random() < 0.3]
    domain = ordered(values, pairs or ["ab"])
    lines = chains(domain)
    steps = [low + high for line in lines for low, high in itertools.pairwise(line)]
    assert len(steps) == len(set(steps))
    again = ordered(values, steps)
    assert domain.order.disagreement(again.order, values) is None
