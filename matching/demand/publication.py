"""What is told of a tally: a document of numbers that passed the threshold, and nothing else.

Numbers are put in order, and lists cut, by what is told and then by name, never by what was counted.

A category is told at least as often as what is below it and as any range within it: it follows from these
numbers anyway, and without it a category could seem smaller than a part of it.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from matching.demand.tally import Tally
from matching.demand.threshold import FEWEST, Margin, told
from matching.demand.wishes import Place, Ranged, WishReader

MOST_PLACES = 200
MOST_WORDS = 100
MOST_RANGED = 100  # pairs of a category and a number
_PARTS = ("places", "words", "ranges")


def published(tally: Tally, reader: WishReader, *, margin: Margin) -> dict[str, Any]:
    """The document. O(cells); margins are asked for cells with enough people only.

    `places` are [attribute, value, people], `words` [word, people], and `ranges` [attribute and value of a
    category or null, attribute of the number, {range: people}].
    """
    places = {place: _told(people, ["place", *place], margin) for place, people in tally.places.items()}
    words = {word: _told(people, ["word", word], margin) for word, people in tally.words.items()}
    ranges = _ranges(tally, reader, margin)
    for (place, _attribute), people_of in ranges.items():
        if place is not None:
            places[place] = max(places.get(place, 0), *people_of.values())
    places = _raised(places, reader)
    told_places = _most({place: people for place, people in places.items() if people}, MOST_PLACES)
    return {
        "places": [[*place, people] for place, people in told_places],
        "words": [[word, people] for word, people in _most(_passed(words), MOST_WORDS)],
        "ranges": [
            [None if place is None else list(place), attribute, _as_json(people_of)]
            for (place, attribute), people_of in _most_ranged(ranges, dict(told_places))
        ],
    }


def is_empty(document: Mapping[str, Any]) -> bool:
    return not any(document.get(part) for part in _PARTS)


def _told(people: int, cell: list[Any], margin: Margin) -> int:
    return told(people, margin("\x1f".join(map(str, cell)))) if people >= FEWEST else 0


def _passed(cells: dict[str, int]) -> dict[str, int]:
    return {name: people for name, people in cells.items() if people}


def _raised(places: dict[Place, int], reader: WishReader) -> dict[Place, int]:
    raised: defaultdict[Place, int] = defaultdict(int)
    for place, people in places.items():
        if people:
            for above in reader.line(place):
                raised[above] = max(raised[above], people)
    return raised


def _ranges(tally: Tally, reader: WishReader, margin: Margin) -> dict[Ranged, dict[int, int]]:
    found: defaultdict[Ranged, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
    for (place, attribute), counts in tally.ranges():
        for number, people in enumerate(counts):
            cell = ["range", *(place or ("", "")), attribute, number]
            if told_people := _told(people, cell, margin):
                for above in (None, *(reader.line(place) if place else ())):
                    of_range = found[above, attribute]
                    of_range[number] = max(of_range[number], told_people)
    return {ranged: dict(people_of) for ranged, people_of in found.items()}


def _most(cells: dict[Any, int], most: int) -> list[tuple[Any, int]]:
    return sorted(cells.items(), key=lambda cell: (-cell[1], cell[0]))[:most]


def _most_ranged(
    ranges: dict[Ranged, dict[int, int]], places: dict[Place, int]
) -> list[tuple[Ranged, dict[int, int]]]:
    """Those of all categories together first, then those of the categories that are told."""
    kept = [each for each in ranges.items() if each[0][0] is None or each[0][0] in places]
    kept.sort(
        key=lambda each: (
            each[0][0] is not None,
            -max(each[1].values()),
            each[0][0] or ("", ""),
            each[0][1],
        )
    )
    return kept[:MOST_RANGED]


def _as_json(people_of: dict[int, int]) -> dict[str, int]:
    return {str(number): people_of[number] for number in sorted(people_of)}
