"""The world of the `auction` workload: its schema, its category tree, and how often each value occurs.

The numbers are the definition's where it gives them. Ours: the sizes of the six levels of the tree (roots
are at depth 1; the shape is that of public product taxonomies), the order of periods, uniform event types,
conditions, materials and periods, and two or three materials where there are several.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.workloads.assembly import Names, Numbers, Values
from matching.workloads.base import numbered
from matching.workloads.draws import Distribution, zipf
from schema_registry.core.schema import Schema

LEVELS = (20, 180, 900, 1_700, 1_400, 800)
CENTS = 100
MAX_PRICE = 100_000
MEDIAN_PRICE, SIGMA_PRICE = 40.0, 1.5

EVENT_TYPES = numbered("type-", 12)
CATEGORIES = numbered("c", sum(LEVELS), first=0)
CONDITIONS = ("damaged", "good", "new", "restored", "worn")
LOCATIONS = numbered("place-", 500)
MATERIALS = numbered("material-", 40)
PERIODS = numbered("period-", 30)
SELLERS = numbered("seller-", 100_000)
WORDS = numbered("w", 50_000)

WORD_FREQUENCY = zipf(len(WORDS), 1.05)
SELLER_FREQUENCY = zipf(len(SELLERS), 0.9)
LOCATION_FREQUENCY = zipf(len(LOCATIONS), 0.8)

FIRST_WORD = 99  # the word of rank 100
ASKED_WORD_FREQUENCY = zipf(len(WORDS) - FIRST_WORD, 0.8, first_rank=FIRST_WORD + 1)

VALUES: dict[str, Values] = {
    "category": Names(CATEGORIES),
    "condition": Names(CONDITIONS),
    "event_type": Names(EVENT_TYPES),
    "location": Names(LOCATIONS),
    "material": Names(MATERIALS),
    "period": Names(PERIODS),
    "price": Numbers(MAX_PRICE * CENTS + 1, per_unit=CENTS),
    "seller": Names(SELLERS),
    "title": Names(WORDS),
}


@dataclass(frozen=True, slots=True)
class CategoryTree:
    """`parent` is -1 for roots. `leaf` lists the leaves, the most popular first, by `leaf_frequency`."""

    parent: NDArray[np.int32]
    depth: NDArray[np.int32]
    leaf: NDArray[np.int32]
    leaf_frequency: Distribution


def category_tree(random: np.random.Generator) -> CategoryTree:
    """A tree with these levels; a node's parent is any node of the level above, as likely as the others."""
    parent = np.full(len(CATEGORIES), -1, np.int32)
    depth = np.repeat(np.arange(1, len(LEVELS) + 1, dtype=np.int32), LEVELS)
    for level in range(2, len(LEVELS) + 1):
        above, nodes = np.flatnonzero(depth == level - 1), np.flatnonzero(depth == level)
        parent[nodes] = random.choice(above, len(nodes))
    # No root is a leaf: subscriptions ask for something at depth 2 or more above a leaf.
    parent[LEVELS[0] : 2 * LEVELS[0]] = np.arange(LEVELS[0])
    leaf = np.setdiff1d(np.arange(len(parent), dtype=np.int32), parent)
    return CategoryTree(parent, depth, random.permutation(leaf), zipf(len(leaf), 1.0))


def prices(random: np.random.Generator, shape: int | tuple[int, ...]) -> NDArray[np.int32]:
    """Lognormal prices of this median in whole cents, at most 100,000."""
    drawn = np.rint(random.lognormal(np.log(MEDIAN_PRICE), SIGMA_PRICE, shape) * CENTS)
    return np.minimum(drawn, MAX_PRICE * CENTS).astype(np.int32)


def schema(tree: CategoryTree) -> Schema:
    """12 event types, each with all 8 attributes."""
    parents = {
        name: None if parent < 0 else CATEGORIES[parent]
        for name, parent in zip(CATEGORIES, tree.parent.tolist(), strict=True)
    }
    domains: dict[str, Any] = {
        "category": {"kind": "hierarchical", "values": parents},
        "condition": {"kind": "enumerated", "values": list(CONDITIONS)},
        "location": {"kind": "enumerated", "values": list(LOCATIONS)},
        "material": {"kind": "enumerated", "values": list(MATERIALS)},
        "period": {"kind": "enumerated", "values": list(PERIODS), "order": _period_order()},
        "price": {"kind": "numeric", "min": 0, "max": MAX_PRICE, "unit": "EUR"},
        "seller": {"kind": "string"},
        "title": {"kind": "text"},
    }
    marks = {name: ["mandatory", "unique"] for name in domains}
    marks |= {"material": ["optional", "multiple"], "period": ["optional", "unique"]}
    return Schema.from_dict(
        {
            "domains": domains,
            "attributes": {name: name for name in domains},
            "event_types": dict.fromkeys(EVENT_TYPES, marks),
        }
    )


def _period_order() -> list[list[str]]:
    """Three lines of ten periods, as of three regions; the first is linked to the second at each step."""
    along = [[PERIODS[each], PERIODS[each + 3]] for each in range(len(PERIODS) - 3)]
    across = [[PERIODS[each], PERIODS[each + 4]] for each in range(0, len(PERIODS) - 4, 3)]
    return along + across
