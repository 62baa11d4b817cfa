"""What a nightly job is told: the document that whoever starts it has written."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matching.feeds.mapping import FeedMapping
from matching.feeds.night_order import Order
from spark_jobs.feeds.facts import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """`source` is the directory of the site's date, `run` the one to write to; all executors see both."""

    site: str
    date: str
    source: str
    run: Path
    mapping: Mapping[str, Any]
    schema: Mapping[str, Any]
    snapshots: Sequence[str] = ()
    known: str | None = None
    order: str = Order.AFTER
    master: str = "local[*]"
    memory: str = "2g"
    conf: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
    limits: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Job":
        """Raises OSError, ValueError or TypeError for a document that is none of ours."""
        document = json.loads(path.read_text())
        return cls(**document | {"run": Path(document["run"])})

    def checked_mapping(self) -> FeedMapping:
        """Raises InvalidMapping."""
        return FeedMapping.from_dict(self.mapping)

    def rules(self) -> str:
        """What rows are judged by, as JSON for the workers."""
        return json.dumps({"mapping": self.mapping, "schema": self.schema})

    def order_of_night(self) -> Order:
        return Order(self.order)

    def preflight_limits(self) -> Limits:
        return Limits.from_dict(dict(self.limits))
