"""What a reader sees of an engine, and where in memory it is.

A kernel is given one array of addresses for everything: handing over each array by itself costs more than
matching in a small segment.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.engine.fresh import Fresh
from matching.engine.kernels import NUMBERS_OF_A_SEGMENT, NUMBERS_OF_FRESH
from matching.engine.segment import Segment


@dataclass(frozen=True, slots=True)
class View:
    """All changes up to `change`; `counts` says how many conjunctions of each of `fresh` are part of it."""

    segments: tuple[Segment, ...]
    fresh: tuple[Fresh, ...]
    counts: tuple[int, ...]
    change: int
    _known: list["Directory"] = field(default_factory=list, init=False, compare=False)

    def directory(self) -> "Directory":
        """Worked out when it is first asked for: most of the views of a writer are seen by nobody."""
        if not self._known:
            self._known.append(Directory.of(self))
        return self._known[-1]


@dataclass(frozen=True, slots=True)
class Directory:
    """(change, segments, fresh), then for each segment and each fresh one what `kernels` expects.

    `kept` are the arrays; as long as it is there, so are they.
    """

    numbers: NDArray[np.int64]
    kept: tuple[Any, ...]

    @classmethod
    def of(cls, view: View) -> "Directory":
        fresh = [(each, count) for each, count in zip(view.fresh, view.counts, strict=True) if count]
        numbers, kept = [view.change, len(view.segments), len(fresh)], []
        for segment in view.segments:
            arrays: tuple[NDArray[Any], ...] = (segment.block, segment.table, segment.died, segment.special)
            numbers += [len(segment.block), *map(_address, arrays)]
            assert len(arrays) + 1 == NUMBERS_OF_A_SEGMENT
            kept.append(arrays)
        for each, count in fresh:
            arrays = each.arrays()
            numbers += [count, *map(_address, arrays)]
            assert len(arrays) + 1 == NUMBERS_OF_FRESH
            kept.append(arrays)
        return cls(np.array(numbers, np.int64), tuple(kept))


def _address(array: NDArray[Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
