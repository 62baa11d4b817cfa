"""How an engine is laid out, in a few numbers that people can judge."""

from dataclasses import dataclass

import numpy as np

from matching.engine.views import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """`fresh` conjunctions came since; `gone` rows are only marked.

    `keys[n]` are the distinct conjunctions of the segments that are found by a key of n equalities; those of
    `keys[0]` have none, bitmaps find them.
    """

    segments: int
    fresh: int
    gone: int
    keys: tuple[int, ...]
    bytes: int

    @classmethod
    def of(cls, view: View) -> "Shape":
        """O(conjunctions), some milliseconds for a million."""
        keys = np.zeros(1, np.int64)
        for segment in view.segments:
            counts = np.bincount(segment.arrays.keyed, minlength=len(keys))
            counts[: len(keys)] += keys
            keys = counts
        return cls(
            segments=len(view.segments),
            fresh=sum(view.counts),
            gone=sum(len(segment.died) - segment.alive() for segment in view.segments),
            keys=tuple(keys.tolist()),
            bytes=sum(
                array.nbytes
                for each in view.segments
                for array in (each.block, each.table, each.died, each.special)
            ),
        )
