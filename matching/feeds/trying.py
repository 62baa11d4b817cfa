"""A dry run of a mapping: the first rows before and after, and the reasons against rows by count.

The caller gives the rows and says how many to look at. Nothing is stored, and nothing is matched.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from matching.feeds.judging import Judge, Judged, Reject
from matching.feeds.mapping import FeedMapping
from matching.feeds.sources import Row
from schema_registry.core.schema import Schema

MOST_REASONS = 100


@dataclass(frozen=True, slots=True)
class TriedRow:
    """A row as it is read, and what becomes of it: `after` is the envelope of an event, or None."""

    number: int
    before: Row
    after: dict[str, Any] | None
    rejects: tuple[Reject, ...]


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """How often rows are refused by a rule for an attribute, with the sentence of the first."""

    rule: str
    attribute: str
    example: str
    count: int


@dataclass(frozen=True, slots=True)
class Trial:
    """`rows` were looked at; of the rejected ones, a row counts once for each of its reasons."""

    rows: int
    rejected: int
    duplicates: int
    first: tuple[TriedRow, ...]
    reasons: tuple[ReasonCount, ...]

    @property
    def events(self) -> int:
        return self.rows - self.rejected - self.duplicates


def tried(
    mapping: FeedMapping, schema: Schema, rows: Iterable[Row], *, most_rows: int = 1_000, shown: int = 10
) -> Trial:
    """Judges up to `most_rows` of the rows. O(rows); keeps what is shown, the reasons and the ids.

    The reasons come with the most frequent first; at most 100 are told.
    """
    judge = Judge(mapping, schema)
    first: list[TriedRow] = []
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    keys: set[tuple[str, int | None]] = set()
    number = rejected = duplicates = 0
    for number, row in enumerate(islice(rows, most_rows), 1):
        verdict = judge.judge(row)
        if isinstance(verdict, Judged):
            key = verdict.external_id, verdict.revision
            duplicates += key in keys
            keys.add(key)
        else:
            rejected += 1
            for reject in verdict:
                counts[reject.rule, reject.attribute] += 1
                examples.setdefault((reject.rule, reject.attribute), reject.message)
        if number <= shown:
            first.append(_tried_row(number, row, verdict))
    reasons = tuple(
        ReasonCount(*reason, examples[reason], count) for reason, count in counts.most_common(MOST_REASONS)
    )
    return Trial(number, rejected, duplicates, tuple(first), reasons)


def _tried_row(number: int, row: Row, verdict: Judged | list[Reject]) -> TriedRow:
    if not isinstance(verdict, Judged):
        return TriedRow(number, row, None, tuple(verdict))
    named = ("external_id", "revision", "title", "url", "image_url", "ends_at")
    after = {name: value for name in named if (value := getattr(verdict, name)) not in (None, "")}
    return TriedRow(number, row, {**after, "event": json.loads(verdict.document)}, ())
