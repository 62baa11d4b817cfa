"""A publication of demand as its page shows it: trees of categories, words, and ranges of numbers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from matching.demand.price_steps import ends_of
from matching.demand.publication import is_empty
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import FiniteDomain, HierarchicalDomain, NumericDomain
from schema_registry.core.schema import Schema

DEEPEST = 6  # further levels are indented no more
WIDTH = 100


@dataclass(frozen=True, slots=True)
class Bar:
    """So many people or more; `width` out of 100, beside the longest of its list."""

    label: str
    people: int
    width: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """The ranges of one number; neighbours with the same count are one bar."""

    attribute: str
    bars: list[Bar]


@dataclass(frozen=True, slots=True)
class Category:
    bar: Bar
    level: int
    url: str
    histograms: list[Histogram] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tree:
    attribute: str
    is_event_types: bool
    categories: list[Category]


def parts(document: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """What the template needs. Names that the schema no longer has are left out."""
    ranges: defaultdict[tuple[str, str] | None, list[Histogram]] = defaultdict(list)
    for place, attribute, people_of in document.get("ranges", ()):
        domain = schema.domain_of.get(attribute)
        if isinstance(domain, NumericDomain):
            bars = _bars(_merged(people_of, domain))
            ranges[tuple(place) if place else None].append(Histogram(attribute, bars))
    trees = [
        _tree(schema, attribute, list(rows), ranges)
        for attribute, rows in groupby(sorted(document.get("places", ())), key=lambda row: row[0])
        if attribute in schema.domain_of
    ]
    trees.sort(
        key=lambda tree: (tree.is_event_types, -max((each.bar.people for each in tree.categories), default=0))
    )
    return {
        "trees": [tree for tree in trees if tree.categories],
        "words": _bars([(word, people) for word, people in document.get("words", ())]),
        "histograms": ranges[None],
        "is_empty": is_empty(document),
    }


def _tree(
    schema: Schema,
    attribute: str,
    rows: Sequence[tuple[str, str, int]],
    ranges: Mapping[tuple[str, str] | None, list[Histogram]],
) -> Tree:
    """The categories from the top down, those below one right after it, the most wanted first."""
    domain = schema.domain_of[attribute]
    assert isinstance(domain, FiniteDomain)
    people_of = {value: people for _attribute, value, people in rows if value in domain.identifiers()}
    below: defaultdict[str | None, list[str]] = defaultdict(list)
    for value in sorted(people_of, key=lambda value: (-people_of[value], domain.label(value))):
        parent = domain.forest.parents[value] if isinstance(domain, HierarchicalDomain) else None
        below[parent if parent in people_of else None].append(value)
    most = max(people_of.values(), default=0)
    address = reverse("schema-domain", args=[schema.attributes.get(attribute, EVENT_TYPE)])
    categories = [
        Category(
            _bar(domain.label(value), people_of[value], most),
            min(level, DEEPEST),
            reverse("schema-type", args=[value])
            if attribute == EVENT_TYPE
            else f"{address}?{urlencode({'of': value})}",
            ranges.get((attribute, value), []),
        )
        for value, level in _from_the_top(below)
    ]
    return Tree(attribute, attribute == EVENT_TYPE, categories)


def _from_the_top(below: Mapping[str | None, Sequence[str]]) -> Iterator[tuple[str, int]]:
    waiting = [(value, 0) for value in reversed(below.get(None, ()))]
    while waiting:
        value, level = waiting.pop()
        yield value, level
        waiting += ((each, level + 1) for each in reversed(below.get(value, ())))


def _merged(people_of: Mapping[str, int], domain: NumericDomain) -> list[tuple[str, int]]:
    numbered = sorted((int(number), people) for number, people in people_of.items())
    merged: list[tuple[int, int, int]] = []  # first range, last range, people
    for number, people in numbered:
        if merged and merged[-1][1] == number - 1 and merged[-1][2] == people:
            merged[-1] = (merged[-1][0], number, people)
        else:
            merged.append((number, number, people))
    return [(_range_in_words(first, last, domain), people) for first, last, people in merged]


def _range_in_words(first: int, last: int, domain: NumericDomain) -> str:
    low, high = ends_of(first)[0], ends_of(last)[1]
    if low is not None and domain.low is not None and low <= domain.low:
        low = None
    if high is not None and domain.high is not None and high >= domain.high:
        high = None
    ends = {name: "" if end is None else _number(end) for name, end in (("low", low), ("high", high))}
    if low is None and high is None:
        words = _("any")
    elif low is None:
        words = _("up to %(high)s") % ends
    elif high is None:
        words = _("over %(low)s") % ends
    else:
        words = _("%(low)s to %(high)s") % ends
    return f"{words} {domain.unit}" if domain.unit else words


def _number(value: float) -> str:
    return number_format(int(value), force_grouping=True)


def _bars(cells: Sequence[tuple[str, int]]) -> list[Bar]:
    most = max((people for _label, people in cells), default=0)
    return [_bar(label, people, most) for label, people in cells]


def _bar(label: str, people: int, most: int) -> Bar:
    return Bar(label, people, max(1, round(WIDTH * people / most)))
