"""Which conjunctions a subscription has: arrays for what was loaded at once, a dict for single ones."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Slots = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Subscriptions loaded at once, by id. One that was removed has an empty run of slots."""

    ids: NDArray[np.int64]
    first: Slots
    last: Slots

    def place(self, subscription: int) -> int | None:
        at = int(np.searchsorted(self.ids, subscription))
        there = at < len(self.ids) and self.ids[at] == subscription and self.first[at] < self.last[at]
        return at if there else None


class SlotsOfIds:
    """Costs: look-up and removal O(loads * log), and O(1) for what was added singly."""

    def __init__(self) -> None:
        self._added: dict[int, Slots] = {}
        self._loads: list[_Loaded] = []
        self._loaded_count = 0

    def __len__(self) -> int:
        return len(self._added) + self._loaded_count

    def __iter__(self) -> Iterator[int]:
        yield from self._added
        for load in self._loads:
            yield from load.ids[load.first < load.last].tolist()

    def __contains__(self, subscription: int) -> bool:
        return subscription in self._added or any(
            load.place(subscription) is not None for load in self._loads
        )

    def __getitem__(self, subscription: int) -> Slots:
        if subscription in self._added:
            return self._added[subscription]
        for load in self._loads:
            at = load.place(subscription)
            if at is not None:
                return np.arange(load.first[at], load.last[at])
        raise KeyError(subscription)

    def extend(self, ids: NDArray[np.int64], start: Slots) -> None:
        """Subscription k, whose id must be new, has the slots from start[k] up to start[k + 1]."""
        if len(ids) == 1:
            self._added[int(ids[0])] = np.arange(start[0], start[1])
        elif len(ids):
            order = np.argsort(ids)
            self._loads.append(_Loaded(ids[order], start[:-1][order], start[1:][order]))
            self._loaded_count += len(ids)

    def pop(self, subscription: int) -> Slots:
        """Forget a subscription; the slots it had. Raises KeyError."""
        slots = self[subscription]
        if self._added.pop(subscription, None) is None:
            for load in self._loads:
                at = load.place(subscription)
                if at is not None:
                    load.last[at] = load.first[at]
            self._loaded_count -= 1
        return slots
