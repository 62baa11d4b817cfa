"""In which order DEXIN looks at the attributes, and which method it takes for each: paper 004, sections
3.4-3.5.

For an event each attribute has a matching rate rho, the share of the subscriptions whose interval there
meets it. Costs are in traversed subscriptions, as a share of all. The exclusive method traverses who does
not match, delta = 1 - rho, whenever it comes; the inclusive one whoever is left, the product of the rates
before it:

    cost = sum of the deltas of the exclusive + sum over the inclusive of the product of all rates before

The cheapest pipeline begins with the exclusive method (Observation 1), has all exclusive steps before all
inclusive ones (2), and the inclusive ones by ascending rate (3). `optimal` tries every pipeline of this
form, O(2 ** M). `near_optimal` is the paper's Low-Matching-Rate-First-Fit, O(M log M). Its Algorithm 4
compares what is left with delta, line 8; the prose says "with the matching rate", which would compare no
two costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MOST_TRIED = 22


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The attributes in order; the first so many of them by the exclusive method, the others inclusively."""

    sequence: tuple[int, ...]
    exclusive: int

    def cost(self, rates: Sequence[float]) -> float:
        """Formula (6)."""
        left, total = 1.0, 0.0
        for step, attribute in enumerate(self.sequence):
            total += 1 - rates[attribute] if step < self.exclusive else left
            left *= rates[attribute]
        return total


def near_optimal(rates: Sequence[float]) -> Pipeline:
    """Algorithm 4."""
    ascending = sorted(range(len(rates)), key=rates.__getitem__)
    exclusive, left = 0, 1.0
    for attribute in ascending:
        if exclusive and left <= 1 - rates[attribute]:
            break
        exclusive += 1
        left *= rates[attribute]
    return Pipeline(tuple(ascending), exclusive)


def optimal(rates: Sequence[float]) -> Pipeline:
    """The cheapest of all; every choice of the exclusive attributes is tried, side by side in arrays.

    With more attributes than the paper's 22, too many choices to be tried, it is the near-optimal one.
    """
    if len(rates) > MOST_TRIED:
        return near_optimal(rates)
    ascending = sorted(range(len(rates)), key=rates.__getitem__)
    deltas, excluded, traversed, included = np.zeros(1), np.ones(1), np.zeros(1), np.ones(1)
    for attribute in ascending:  # the first half of each array goes on inclusively, the second exclusively
        rate = rates[attribute]
        deltas = np.concatenate((deltas, deltas + 1 - rate))
        excluded = np.concatenate((excluded, excluded * rate))
        traversed = np.concatenate((traversed + included, traversed))
        included = np.concatenate((included * rate, included))
    costs = deltas + excluded * traversed
    chosen = 1 + int(np.argmin(costs[1:])) if rates else 0  # not 0, all inclusive: Observation 1
    exclusively = [each for place, each in enumerate(ascending) if chosen >> place & 1]
    inclusively = [each for place, each in enumerate(ascending) if not chosen >> place & 1]
    return Pipeline((*exclusively, *inclusively), len(exclusively))


def exclusive_only(rates: Sequence[float]) -> Pipeline:
    """Formula (8); the order does not matter."""
    return Pipeline(tuple(range(len(rates))), len(rates))


def inclusive_only(rates: Sequence[float]) -> Pipeline:
    """Formula (9), by ascending rate, which is the cheapest order."""
    return Pipeline(tuple(sorted(range(len(rates)), key=rates.__getitem__)), 0)
