"""A hierarchical domain from the paths of a feed, for a site whose categories nobody has written down yet.

The identifier of a category is its whole path, since the same name occurs under several parents; its label is
the last step. So a mapping that joins a row's path by the same sign finds the category by its identifier.
"""

from collections.abc import Iterable, Sequence
from typing import Any

STEP = " > "


def hierarchy(paths: Iterable[Sequence[str]]) -> dict[str, Any]:
    """The definition of the domain: every path and every beginning of one, parents first. O(steps)."""
    parents: dict[str, str | None] = {}
    labels: dict[str, str] = {}
    for path in paths:
        parent: str | None = None
        for depth, step in enumerate(path, 1):
            category = STEP.join(path[:depth])
            parents.setdefault(category, parent)
            if category != step:
                labels.setdefault(category, step)
            parent = category
    return {"kind": "hierarchical", "values": parents, "labels": labels}
