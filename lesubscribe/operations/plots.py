"""The samples of the last hours or days, as rows of a table that a script draws."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import F, Max
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lesubscribe.operations.models import Sample

# How far back one may look, and how many minutes are one point then: some 150 points are as many as one sees.
STEPS = {3: 1, 24: 10, 336: 120}
FEWEST_HOURS = min(STEPS)
COLUMNS = ("waiting", "due", "accepted", "matched", "delivered", "lag", "oldest")
_ROW = '<tr><th scope="row"><time datetime="{}">{}</time></th>' + len(COLUMNS) * "<td>{}</td>" + "</tr>"


@dataclass(frozen=True, slots=True)
class Point:
    """The highest of each figure in these minutes; times are in seconds."""

    at: datetime
    figures: dict[str, Any]

    @property
    def row(self) -> SafeString:
        """Of a table. By a template, hundreds of them would take most of the page's time."""
        values = ("" if value is None else f"{value:.15g}" for value in self.figures.values())
        return format_html(_ROW, self.at.isoformat(), f"{self.at:%Y-%m-%d %H:%M}", *values)


def points(*, hours: int, now: datetime) -> list[Point]:
    """Oldest first."""
    step = STEPS[hours]
    since = int((now - timedelta(hours=hours)).timestamp()) // 60
    rows = Sample.objects.filter(minute__gt=since).annotate(point=F("minute") / step).values("point")
    highest: Any = rows.annotate(**{f"most_{name}": Max(name) for name in COLUMNS}).order_by("point")
    return [
        Point(
            datetime.fromtimestamp(row["point"] * step * 60, UTC),
            {name: _shown(name, row[f"most_{name}"]) for name in COLUMNS},
        )
        for row in highest
    ]


def _shown(name: str, value: int | None) -> float | None:
    return value / 1000 if value is not None and name in ("lag", "oldest") else value
