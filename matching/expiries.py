"""When subscriptions expire: arrays that may be mapped from a file, and what has changed since. Pure.

Most of a million never change after a worker has started, and starting must not touch each of them.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.recent.segments import microseconds

Numbers = NDArray[np.int64]

_NEVER = int(np.iinfo(np.int64).max)
_FEW = 4_096
_MUCH_LARGER = 8


class Expiries:
    """Costs: set O(1) in the long run, is_alive O(ids * log subscriptions)."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Those that `arrays` returned, or none."""
        none = np.empty(0, np.int64)
        self._ids: Numbers = none if arrays is None else arrays["ids"]
        self._moments: Numbers = none if arrays is None else arrays["moments"]
        self._changed: dict[int, int] = {}

    def set(self, number: int, expires_at: datetime | None) -> None:
        """None means never."""
        self._changed[number] = _NEVER if expires_at is None else microseconds(expires_at)
        if len(self._changed) > max(_FEW, len(self._ids) // _MUCH_LARGER):
            self._fold()

    def forget(self, number: int) -> None:
        self.set(number, None)

    def is_alive(self, ids: Numbers, moments: Numbers) -> NDArray[np.bool_]:
        """Of each of these subscriptions, whether it is before its expiry at the moment (microseconds)."""
        expiry = np.full(len(ids), _NEVER)
        if len(self._ids):
            place = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
            known = self._ids[place] == ids
            expiry[known] = self._moments[place[known]]
        if self._changed:
            for at, number in enumerate(ids.tolist()):
                if number in self._changed:
                    expiry[at] = self._changed[number]
        alive: NDArray[np.bool_] = moments < expiry
        return alive

    def arrays(self) -> Mapping[str, Numbers]:
        """All of them, to be written down; these arrays do not change any more. O(subscriptions)."""
        self._fold()
        return {"ids": self._ids, "moments": self._moments}

    def _fold(self) -> None:
        """Let the arrays have what has changed."""
        ids = np.fromiter(self._changed.keys(), np.int64, len(self._changed))
        moments = np.fromiter(self._changed.values(), np.int64, len(self._changed))
        stays = ~np.isin(self._ids, ids)
        ends = moments != _NEVER
        ids = np.concatenate((self._ids[stays], ids[ends]))
        moments = np.concatenate((self._moments[stays], moments[ends]))
        order = np.argsort(ids, kind="stable")
        self._ids, self._moments, self._changed = ids[order], moments[order], {}
