"""A floor for the evaluations of any algorithm, whatever is true of the event.

To decide a subscription at least one of its predicates must be evaluated. So the evaluated predicates meet
every subscription, and there are at least as many as in the smallest set that does. That set is hard to find,
but any weights y of subscriptions such that those of no predicate add up to more than 1 show that it has at
least sum(y) elements (weak duality of linear programs).
"""

import numpy as np

from matching.workloads.debs07 import PredicateSets

STEPS = 300
SHARPNESS = 30  # how near the smooth maximum is to the true one


def floor(sets: PredicateSets) -> float:
    """sum(y) for good weights, found by lowering those of overloaded predicates and raising others."""
    row = np.repeat(np.arange(len(sets)), np.diff(sets.start))
    first = sets.start[:-1]
    weight = np.ones(len(sets))
    best = 0.0
    for _ in range(STEPS):
        load = np.bincount(sets.predicate, weight[row])[sets.predicate]
        greatest = np.maximum.reduceat(load, first)
        best = max(best, float((weight / greatest).sum()))
        relative = np.add.reduceat((load / greatest[row]) ** SHARPNESS, first)
        weight /= greatest * relative ** (1 / SHARPNESS)
    return best
