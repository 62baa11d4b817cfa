"""Paths of labels in a hierarchy, such as "Home > Lamps": which values stand at their end.

Real taxonomies repeat labels ("Other" thousands of times), and a text may hold hundreds of paths, so the
work per path is bounded: labels that many values have are indexed by the parent, and a path is followed
up and down from a step that few values have. A path without such a step is refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from schema_registry.core.errors import OutsideDomain
from schema_registry.core.sentences import gettext as _

MAX_CANDIDATES = 25


class LabelPaths:
    """Finds the values at the end of a path; a step is a label or an identifier.

    Building costs O(values whose label more than 25 have), a search O(25 * steps).
    """

    __slots__ = ("_by_label", "_crowded", "_labels", "_parents")

    def __init__(
        self,
        parents: Mapping[str, str | None],
        labels: Mapping[str, str],
        by_label: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._parents = parents
        self._labels = labels
        self._by_label = by_label
        self._crowded: dict[str, dict[str | None, list[str]]] = {}  # label, parent, values
        for label, values in by_label.items():
            if len(values) > MAX_CANDIDATES:
                under = self._crowded.setdefault(label, {})
                for value in values:
                    under.setdefault(parents[value], []).append(value)

    def ending(self, steps: Sequence[str]) -> tuple[str, ...]:
        """The values at the end of the path; a path from a root wins if it leads to one value.

        Raises OutsideDomain when more than 25 values come into question on the way.
        """
        few = [number for number, step in enumerate(steps) if step not in self._crowded]
        if not few:
            raise _too_many()
        upper, lower = steps[: few[-1] + 1], steps[few[-1] + 1 :]
        climbing: list[tuple[str, str | None]] = [(value, value) for value in self._named(upper[-1])]
        for step in reversed(upper):
            climbing = [
                (value, self._parents[place])
                for value, place in climbing
                if place is not None and (place == step or self._labels.get(place) == step)
            ]
        found = self._followed([value for value, place in climbing if place is None], lower)
        return found if len(found) == 1 else self._followed([value for value, _ in climbing], lower)

    def _named(self, step: str) -> Iterable[str]:
        itself = (step,) if step in self._parents else ()
        return dict.fromkeys(itself + self._by_label.get(step, ()))

    def _followed(self, places: list[str], steps: Sequence[str]) -> tuple[str, ...]:
        """What lies at the end of these steps, all of them crowded, below the places."""
        for step in steps:
            under = self._crowded[step]
            children = [under.get(place, ()) for place in places]
            if sum(map(len, children)) > MAX_CANDIDATES:
                raise _too_many()
            itself = [step] if self._parents.get(step) in places else []
            places = list(dict.fromkeys(chain(itself, *children)))
        return tuple(places)


def _too_many() -> OutsideDomain:
    return OutsideDomain(_("Too many values have the labels of this path. Write the identifier."))
