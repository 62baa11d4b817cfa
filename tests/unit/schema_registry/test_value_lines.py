"""Values as people write them: lists, orders and trees."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema_registry.core.errors import SchemaError
from schema_registry.core.value_lines import list_of, order_of, tree_of

OUTLINE = """
furniture
\ttable | Tables
\t\tdining table

\tchair
silver
"""
PAIRS = "dining table < table | Tables < furniture\nchair < furniture\nsilver"
TREE = {
    "furniture": None,
    "table": "furniture",
    "dining table": "table",
    "chair": "furniture",
    "silver": None,
}


@pytest.mark.parametrize("text", [OUTLINE, OUTLINE.replace("\t", "  "), PAIRS, OUTLINE.replace("\n", "\r\n")])
def test_an_outline_and_pairs_are_the_same_tree(text: str) -> None:
    written = tree_of(text)
    assert written.parents == TREE
    assert written.labels == {"table": "Tables"}


@given(st.lists(st.integers(0, 8), max_size=30))
def test_every_outline_gives_each_line_the_nearest_line_above_that_is_further_out(depths: list[int]) -> None:
    text = "\n".join(f"{' ' * depth}v{number}" for number, depth in enumerate(depths))
    expected: dict[str, str | None] = {}
    for number, depth in enumerate(depths):
        above = [
            each
            for each in range(number)
            if depths[each] < depth and min(depths[each:number]) == depths[each]
        ]
        expected[f"v{number}"] = f"v{above[-1]}" if above else None
    assert tree_of(text).parents == expected


def test_lists_have_labels_and_orders_are_chains() -> None:
    assert list_of("XVI | 16th century\n\nXVII\n") == (["XVI", "XVII"], {"XVI": "16th century"})
    assert order_of("XVI < XVII < XVIII\nXVI < XVII\n") == [["XVI", "XVII"], ["XVII", "XVIII"]]


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (tree_of, "home\n  lamps\ngarden\n  lamps", "Line 4: 'lamps' stands in line 2 already."),
        (tree_of, "lamps < home\nlamps < garden", "Line 2: 'lamps' stands in line 1 already."),
        (tree_of, "lamps <", "Line 1: something is missing in ''."),
        (list_of, "a\nb |", "Line 2: something is missing in 'b |'."),
        (order_of, "a < b\nc", "Line 2: an order needs a '<'"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(read: Any, text: str, said: str) -> None:
    with pytest.raises(SchemaError) as refusal:
        read(text)
    assert str(refusal.value).startswith(said)
