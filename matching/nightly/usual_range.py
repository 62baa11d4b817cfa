"""Whether a night was like the nights before it: how many rows there were, and what share was rejected.

The usual range is the median and some spreads round it; the spread is that of most nights, so a single odd
one neither hides another nor raises alarms for weeks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from matching.models import NightlyRun
from matching.stored_reasons import UNUSUAL_REJECTS, UNUSUAL_ROWS

NIGHTS = 14
FEWEST_NIGHTS = 5
_SPREADS = 4.0
_OF_NORMAL = 1.4826  # by which the median deviation of a normal distribution is its standard deviation
# Nights that are all alike have no spread, and yet a little more or less is nothing to be told of.
_LEAST_OF_ROWS = 0.3
_LEAST_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Night:
    rows: int
    rejected: int

    @property
    def rejected_share(self) -> float:
        return self.rejected / self.rows if self.rows else 0.0


def alerts(tonight: Night, before: Sequence[Night]) -> list[str]:
    """A sentence for each figure that left its usual range. Pure; too few nights before have none."""
    if len(before) < FEWEST_NIGHTS:
        return []
    said = []
    rows = [float(night.rows) for night in before]
    low, high = usual(rows, least=_LEAST_OF_ROWS * median(rows))
    if not low <= tonight.rows <= high:
        said.append(UNUSUAL_ROWS(rows=tonight.rows, low=max(0, round(low)), high=round(high)))
    low, high = usual([night.rejected_share for night in before], least=_LEAST_SHARE)
    if tonight.rows and not low <= tonight.rejected_share <= high:
        said.append(
            UNUSUAL_REJECTS(
                share=100 * tonight.rejected_share, low=max(0.0, 100 * low), high=min(100.0, 100 * high)
            )
        )
    return said


def usual(figures: Sequence[float], *, least: float) -> tuple[float, float]:
    """The range of most of these figures, which is at least so far to both sides."""
    middle = median(figures)
    spread = _OF_NORMAL * median(abs(figure - middle) for figure in figures)
    reach = max(_SPREADS * spread, least)
    return middle - reach, middle + reach


def nights_before(run: NightlyRun) -> list[Night]:
    """The last nights of the site that were loaded, the newest first."""
    loaded = NightlyRun.objects.filter(site=run.site, date__lt=run.date, state=NightlyRun.State.LOADED)
    newest = loaded.order_by("-date", "-pk").values_list("counts", flat=True)[:NIGHTS]
    return [night_of(counts) for counts in newest]


def night_of(counts: dict[str, int]) -> Night:
    return Night(rows=counts.get("rows", 0), rejected=counts.get("rejected", 0))
