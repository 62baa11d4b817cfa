"""What became of the subscriptions since the snapshot with which a run was matched.

A run's matches are corrected in the way that makes SEMANTICS, section 5, hold: of a subscription that has
changed since, in whatever way, what the run found does not count, and it is matched anew as it is now.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matching import registry
from matching.algorithms.columns import SubscriptionColumns
from matching.change_log import cut_up_to, last_change
from matching.expiries import Expiries
from matching.models import SubscriptionChange
from matching.recent.segments import microseconds
from matching.stored import Compiled, restored
from schema_registry.core.events import Event
from schema_registry.selectors import current_schema

Numbers = NDArray[np.int64]
_ROWS_AT_ONCE = 20_000
_WORTH_LOADING = 2_000  # what is loaded at once gets an index of its own: not for a few


class LogWasCutError(Exception):
    """Changes that had still to be read are gone."""


class Delta:
    """Costs: catching up O(changes since the last time); correcting O(ids * log changed) and matching."""

    def __init__(self, matcher: str, *, sequence: int, expiries: Expiries) -> None:
        """`expiries` are those of the snapshot, which has all changes up to `sequence`."""
        self._sequence = sequence
        self._before = expiries
        self._since = Expiries()
        self._matcher = registry.create(matcher, current_schema())
        self._changed: Numbers = np.empty(0, np.int64)  # in ascending order

    def catch_up(self) -> None:
        """Know all changes that were committed until now. Raises LogWasCutError."""
        last = last_change()
        while self._sequence < last:
            log = SubscriptionChange.objects.filter(sequence__gt=self._sequence, sequence__lte=last)
            changes = list(log.order_by("sequence")[:_ROWS_AT_ONCE])
            if cut_up_to() > self._sequence:  # asked for after they were read: nothing went before that
                raise LogWasCutError("Changes since the snapshot are gone from the log.")
            self._apply(changes)
            self._sequence = changes[-1].sequence if len(changes) == _ROWS_AT_ONCE else last

    def corrected(
        self, found: Sequence[Numbers], events: Callable[[], Sequence[Event]], *, accepted_at: datetime
    ) -> list[list[int]]:
        """What the run found for each event, as it is when they are accepted at that moment.

        The events themselves are asked for only if some subscription has to be matched anew.
        """
        kept = self._kept(found, accepted_at)
        if not len(self._matcher):
            return kept
        offsets, ids = self._matcher.match_ids_many(events())
        fresh = _of_those_alive(self._since, ids, offsets, accepted_at, np.ones(len(ids), np.bool_))
        return [before + since for before, since in zip(kept, fresh, strict=True)]

    def _kept(self, found: Sequence[Numbers], accepted_at: datetime) -> list[list[int]]:
        ids = np.concatenate([*found, np.empty(0, np.int64)])
        offsets = np.concatenate(([0], np.cumsum([len(each) for each in found], dtype=np.int64)))
        return _of_those_alive(self._before, ids, offsets, accepted_at, self._is_unchanged(ids))

    def _is_unchanged(self, ids: Numbers) -> NDArray[np.bool_]:
        if not len(self._changed):
            return np.ones(len(ids), np.bool_)
        place = np.minimum(np.searchsorted(self._changed, ids), len(self._changed) - 1)
        unchanged: NDArray[np.bool_] = self._changed[place] != ids
        return unchanged

    def _apply(self, changes: Sequence[SubscriptionChange]) -> None:
        latest = {change.subscription_id: change for change in changes}
        matched = {
            number: (change.compiled, change.expires_at)
            for number, change in latest.items()
            if change.is_matched and change.compiled is not None
        }
        for number in latest.keys() - matched.keys():
            if number in self._matcher:
                self._matcher.remove(number)
            self._since.forget(number)
        self._match_from_now_on(matched)
        self._changed = np.union1d(self._changed, np.fromiter(latest, np.int64, len(latest)))

    def _match_from_now_on(self, rows: Mapping[int, tuple[Compiled, datetime | None]]) -> None:
        schema = current_schema()
        subscriptions = [(number, restored(compiled, schema)) for number, (compiled, _) in rows.items()]
        if len(subscriptions) >= _WORTH_LOADING:
            self._matcher.follow(schema)
            self._matcher.load(SubscriptionColumns.of(subscriptions))
        else:
            for number, subscription in subscriptions:
                self._matcher.add(number, subscription)
        for number, (_, expires_at) in rows.items():
            self._since.set(number, expires_at)


def _of_those_alive(
    expiries: Expiries, ids: Numbers, offsets: Numbers, moment: datetime, wanted: NDArray[np.bool_]
) -> list[list[int]]:
    """For each event the wanted ones among its ids that are not expired at the moment."""
    kept = wanted & expiries.is_alive(ids, np.full(len(ids), microseconds(moment)))
    ends = np.concatenate(([0], np.cumsum(kept)))[offsets]
    numbers = ids[kept].tolist()
    return [numbers[first:last] for first, last in pairwise(ends.tolist())]
