"""What matching costs, in counts that do not depend on the machine."""

from dataclasses import dataclass


@dataclass(slots=True)
class Work:
    """`candidates` are conjunctions that a matcher's own structure found; `predicate_evaluations` counts
    predicates tested one by one, look-ups of equalities, and predicates found true in sorted lists;
    `visited_nodes` are those of trees."""

    candidates: int = 0
    residual_checks: int = 0
    predicate_evaluations: int = 0
    visited_nodes: int = 0

    @property
    def residual_share(self) -> float:
        """The share of candidates that the shared residual check had to look at."""
        return self.residual_checks / self.candidates if self.candidates else 0.0

    def reset(self) -> None:
        self.candidates = self.residual_checks = self.predicate_evaluations = self.visited_nodes = 0
