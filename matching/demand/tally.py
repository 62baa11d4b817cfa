"""How many people each cell has.

People come one after the other, each with all their wishes at once, so there is nothing to remember about who
was counted where. Memory goes by the cells there are, however many people have them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from matching.demand.price_steps import RANGES, runs
from matching.demand.wishes import Place, Ranged, Wishes, WishReader


class Tally:
    """`add` costs O(wishes * depth of the trees)."""

    def __init__(self, reader: WishReader) -> None:
        self.people = 0
        self.places: Counter[Place] = Counter()
        self.words: Counter[str] = Counter()
        self._reader = reader
        # By range the people more, or fewer, than in the range before: a person is in a run of them.
        self._steps: defaultdict[Ranged, list[int]] = defaultdict(lambda: [0] * (RANGES + 1))

    def add(self, wishes: Wishes) -> None:
        """One person, who has not been added before. Whoever wants a table wants furniture."""
        self.people += 1
        self.places.update({above for place in wishes.places for above in self._reader.line(place)})
        self.words.update(wishes.words)
        for ranged, ranges in self._rolled_up(wishes).items():
            steps = self._steps[ranged]
            for first, end in runs(ranges):
                steps[first] += 1
                steps[end] -= 1

    def ranges(self) -> Iterator[tuple[Ranged, list[int]]]:
        """For each number and category, the people of each range."""
        for ranged, steps in self._steps.items():
            counts, people = [], 0
            for step in steps[:RANGES]:
                people += step
                counts.append(people)
            yield ranged, counts

    def _rolled_up(self, wishes: Wishes) -> dict[Ranged, int]:
        rolled: defaultdict[Ranged, int] = defaultdict(int)
        for (place, attribute), ranges in wishes.ranges.items():
            for above in (None,) if place is None else self._reader.line(place):
                rolled[above, attribute] |= ranges
        return rolled
