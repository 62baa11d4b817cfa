"""How often a predicate is true of an event, P, and what it costs to find out, C: learnt from what happens.

Paper 001 takes selectivities as known "or learned online through the past matching history" (section 3). Both
are means of what was observed and of a prior that counts as some observations; what is long past is
forgotten, so that they follow a change. Independence (section 3) makes the observations fair, though a
predicate is mostly evaluated after others were true.

A literal is a predicate's number t, or `~t` where a subscription wants it to be false.
"""

from collections.abc import Iterable

PRIOR = 4.0  # observations
MEMORY = 1_000.0  # observations; beyond it, or twice the prior, half of them are forgotten
LEAST_CHANCE = 1e-6  # of being false, so that nothing is divided by 0


class Estimates:
    """Every operation is O(1). Costs are in any unit, the same for all."""

    def __init__(self, *, selectivity: float = 0.5, cost: float = 1.0, prior: float = PRIOR) -> None:
        self._selectivity = selectivity
        self._cost = cost
        self._prior = prior
        self._memory = max(MEMORY, 2 * prior)
        self._true: list[float] = []
        self._seen: list[float] = []
        self._spent: list[float] = []
        self._timed: list[float] = []

    def expect(self, predicate: int, *, selectivity: float | None = None, cost: float | None = None) -> None:
        """The prior of one predicate, such as the cost that its operator declares; what was seen of it counts
        no longer."""
        self._make_room(predicate)
        if selectivity is not None:
            self._true[predicate], self._seen[predicate] = selectivity * self._prior, self._prior
        if cost is not None:
            self._spent[predicate], self._timed[predicate] = cost * self._prior, self._prior

    def expect_all(self, selectivities: Iterable[float]) -> None:
        """The selectivities of the predicates 0, 1, ..., as priors."""
        for predicate, selectivity in enumerate(selectivities):
            self.expect(predicate, selectivity=selectivity)

    def learn(self, predicate: int, outcome: bool) -> None:
        if predicate >= len(self._seen):
            self._make_room(predicate)
        self._true[predicate] += outcome
        self._seen[predicate] += 1
        if self._seen[predicate] > self._memory:
            self._true[predicate] /= 2
            self._seen[predicate] /= 2

    def learn_cost(self, predicate: int, cost: float) -> None:
        self._make_room(predicate)
        self._spent[predicate] += cost
        self._timed[predicate] += 1
        if self._timed[predicate] > self._memory:
            self._spent[predicate] /= 2
            self._timed[predicate] /= 2

    def probability(self, literal: int) -> float:
        """That it holds."""
        predicate = literal if literal >= 0 else ~literal
        if predicate >= len(self._seen):
            selectivity = self._selectivity
        else:
            selectivity = self._true[predicate] / self._seen[predicate]
        return selectivity if literal >= 0 else 1 - selectivity

    def cost(self, literal: int) -> float:
        predicate = literal if literal >= 0 else ~literal
        if predicate >= len(self._timed):
            return self._cost
        return self._spent[predicate] / self._timed[predicate]

    def price_of_failing(self, literal: int) -> float:
        """The cost for each time that it does not hold. In ascending order of it, a conjunction by itself is
        decided at the least expected cost; with equal costs this is the order of selectivity."""
        return self.cost(literal) / max(1 - self.probability(literal), LEAST_CHANCE)

    def _make_room(self, predicate: int) -> None:
        missing = predicate + 1 - len(self._seen)
        if missing > 0:
            self._true += [self._selectivity * self._prior] * missing
            self._seen += [self._prior] * missing
            self._spent += [self._cost * self._prior] * missing
            self._timed += [self._prior] * missing
