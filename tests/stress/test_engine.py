"""Random lives of the engine against the oracle; `python -m tests.stress.engine` lives on for ten minutes."""

import pytest

from matching.engine import engine as production
from tests.stress.engine import FEW_FRESH, live

USUAL_SEEDS = 5
FIRST_SEED = 9_000


def test_it_never_differs_from_the_oracle(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adds, removes, replaces, loads, matches, merges, snapshots and reopens, while the schema grows."""
    monkeypatch.setattr(production, "MOST_FRESH", FEW_FRESH)
    for seed in range(FIRST_SEED, FIRST_SEED + (pytestconfig.getoption("deep") or USUAL_SEEDS)):
        print(f"seed {seed}")
        assert live(seed).answers > 100
