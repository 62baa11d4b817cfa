"""The fixed total order of tests that a matching tree is built in (paper 000, sections 3 and 4).

Equalities on one attribute are results of one test, "what is its value?", and have a *level* of the tree.
Levels go by popularity: what most subscriptions of the first load test is asked first, so that few
don't-cares stand near the root. After them come the *general* tests, of which an event may pass many: words
of a text, values of an attribute that may have several, kinds of a hierarchy, orders of strings. Inequalities
of numbers are last. An order once given never changes; what is new gets the next level.
"""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.conjunctions import Conjunctions, Truth
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import TextDomain

NOT_TESTED = -1
MOST_LEVELS = 20  # of 62 places in a mask; 41 are for the bounds of numbers
GENERAL = MOST_LEVELS  # beyond the levels: all other tests

Atoms = NDArray[np.int64]


class OrderOfTests:
    """For each atom that some subscription tests, its level."""

    def __init__(self, conjunctions: Conjunctions) -> None:
        self._conjunctions = conjunctions
        self._level_of = GrowingArray(np.int64)
        self._levels: dict[int, int] = {}

    @property
    def levels(self) -> int:
        """How many levels equalities have."""
        return len(self._levels)

    @property
    def level_of(self) -> NDArray[np.int64]:
        """The level of each atom, NOT_TESTED for those that no path has."""
        return self._level_of.array

    def learn(self, atoms: Atoms) -> None:
        """Give a level to each of these that has none, the most frequent attributes first."""
        vocabulary = self._conjunctions.vocabulary
        self._level_of.extend(np.full(len(vocabulary) - len(self._level_of), NOT_TESTED))
        new = atoms[self.level_of[atoms] == NOT_TESTED]
        if not len(new):
            return
        equalities = self._spaces_with_levels()
        spaces, uses = np.unique(vocabulary.space_of[new], return_counts=True)
        for space in spaces[np.argsort(-uses, kind="stable")].tolist():
            if space in equalities and len(self._levels) < MOST_LEVELS:
                self._levels.setdefault(space, len(self._levels))
        level_of_space = np.full(int(spaces.max()) + 2, GENERAL)
        for space, level in self._levels.items():
            if space < len(level_of_space) - 1:
                level_of_space[space] = level
        self.level_of[new] = level_of_space[vocabulary.space_of[new]]

    def true_tests(self, truth: Truth) -> dict[int, list[int]]:
        """The atoms that are true of the event by level, general ones too, in ascending order."""
        atoms = truth.atoms[truth.atoms < len(self._level_of)]
        levels = self.level_of[atoms].tolist()
        found: dict[int, list[int]] = {}
        for level, atom in sorted(zip(levels, atoms.tolist(), strict=True)):
            if level != NOT_TESTED:
                found.setdefault(level, []).append(atom)
        return found

    def _spaces_with_levels(self) -> set[int]:
        """Those of equalities on attributes with one value; and of event types, which are few."""
        schema = self._conjunctions.schema
        several = {
            name for each in schema.event_types.values() for name in each.attribute_set - each.unique_set
        }
        several |= {name for name, domain in schema.domain_of.items() if isinstance(domain, TextDomain)}
        return {
            space
            for (attribute, operator), space in self._conjunctions.vocabulary.spaces.items()
            if operator == "=" and (attribute == EVENT_TYPE or attribute not in several)
        }
