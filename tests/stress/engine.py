"""`python -m tests.stress.engine --seconds 600`: random lives of engines, one after the other.

Each has its own seed; the last line is the verdict, and names the seed of the life that went wrong.
"""

import argparse
import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from matching.engine import engine as production
from tests.stress.engine_life import DifferenceError, Life

STEPS_OF_A_LIFE = 600
SAY_EVERY = 10.0  # seconds
FEW_FRESH = 50  # so that a short life has background merges, too


def live(seed: int, steps: int = STEPS_OF_A_LIFE) -> Life:
    """One whole life. Raises DifferenceError."""
    with tempfile.TemporaryDirectory(prefix="engine-") as directory:
        life = Life(seed, Path(directory))
        for step in range(steps):
            life.step()
            if step % 50 == 0:
                life.check_invariants()
        return life


def main() -> int:
    options = _options()
    production.MOST_FRESH = FEW_FRESH
    print(f"seed {options.seed}", flush=True)
    begun = time.monotonic()
    lives, answers, words = _live_until(begun + options.seconds, options.seed)
    seconds = time.monotonic() - begun
    print(f"VERDICT: {words}: {lives:,} lives, {answers:,} answers compared, {seconds:.0f} s", flush=True)
    return 0 if words == "no difference" else 1


def _live_until(
    deadline: float, first_seed: int, clock: Callable[[], float] = time.monotonic
) -> tuple[int, int, str]:
    lives = answers = 0
    spoken = clock()
    while lives == 0 or clock() < deadline:
        seed = first_seed + lives
        try:
            answers += live(seed).answers
        except DifferenceError as difference:
            return lives, answers, str(difference)
        except Exception as error:  # whatever it was, the verdict names the seed
            return lives, answers, f"seed {seed}: {error!r}"
        lives += 1
        if clock() - spoken > SAY_EVERY:
            spoken = clock()
            print(f"  {deadline - spoken:.0f} s to go: {lives:,} lives, {answers:,} answers", flush=True)
    return lives, answers, "no difference"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.engine", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="so long (default 600)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000), help="of the first life")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
