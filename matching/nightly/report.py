"""The facts of a run as people read them: in the administration, and as a file that stands for itself."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from matching.models import NightlyRun
from matching.stored_reasons import again
from schema_registry import said_again
from schema_registry.core.numbers import grouped

_COUNTS: dict[str, Any] = {
    "files": gettext_lazy("files"),
    "quarantined": gettext_lazy("quarantined files"),
    "rows": gettext_lazy("rows"),
    "rejected": gettext_lazy("rejected rows"),
    "duplicates": gettext_lazy("duplicates within the night"),
    "repeats": gettext_lazy("repeats of what was known"),
    "overtaken": gettext_lazy("older than what is known"),
    "events": gettext_lazy("events"),
    "matches": gettext_lazy("matches found"),
}
_LOADED: dict[str, Any] = {
    "events": gettext_lazy("events stored"),
    "repeats": gettext_lazy("stored before"),
    "refused": gettext_lazy("refused: their revision has other content"),
    "left": gettext_lazy("left to the workers"),
    "matches": gettext_lazy("matches recorded"),
}
_STAGES: dict[str, Any] = {
    "preflight": pgettext_lazy("stage", "look at the files"),
    "judge": pgettext_lazy("stage", "map and validate"),
    "dedupe": pgettext_lazy("stage", "leave out what is known"),
    "match": pgettext_lazy("stage", "match"),
    "write": pgettext_lazy("stage", "write"),
    "load": pgettext_lazy("stage", "load"),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure with its share of the largest one, in percent."""

    label: str
    figure: str
    share: float
    note: str = ""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    title: str
    state: str
    problem: str
    alerts: list[str]
    seconds: float | None
    counts: list[tuple[str, str]]
    loaded: list[tuple[str, str]]
    stages: list[Bar]
    rejects: list[Bar]
    quarantined: list[tuple[str, str]]
    top_matches: list[Bar]


def report(run: NightlyRun) -> Report:
    """Asks nothing of the database."""
    counts = run.counts
    return Report(
        title=str(run),
        state=run.get_state_display(),
        problem=again(run.problem),
        alerts=[again(each) for each in run.alerts],
        seconds=None if run.ended_at is None else (run.ended_at - run.began_at).total_seconds(),
        counts=_named(counts, _COUNTS),
        # A night that is done again still has what was loaded the last time.
        loaded=_named(counts.get("loaded", {}), _LOADED) if run.state == NightlyRun.State.LOADED else [],
        stages=_stages(run.stages),
        rejects=_rejects(run.rejects, counts.get("rejected", 0)),
        quarantined=[
            (str(each.get("file", "")), again(str(each.get("reason", "")))) for each in run.quarantined
        ],
        top_matches=_top_matches(run.top_matches),
    )


def as_html(run: NightlyRun) -> str:
    """A page that needs nothing else. It names no searches, which belong to people, but by their numbers."""
    return render_to_string("matching/nightly/standalone.html", {"report": report(run)})


def _named(counts: Mapping[str, Any], names: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(str(label), grouped(counts[name])) for name, label in names.items() if name in counts]


def _stages(stages: Iterable[Mapping[str, Any]]) -> list[Bar]:
    timed = [
        (str(each.get("name", "")), float(each.get("seconds") or 0), int(each.get("rows") or 0))
        for each in stages
    ]
    longest = max((seconds for _, seconds, _ in timed), default=0)
    return [
        Bar(
            label=str(_STAGES.get(name, name)),
            figure=_("%(seconds)s s") % {"seconds": grouped(seconds, ".1f")},
            share=_share(seconds, longest),
            note=_("%(rows)s rows, %(rate)s a second")
            % {"rows": grouped(rows), "rate": grouped(rows / seconds, ",.0f") if seconds else "-"},
        )
        for name, seconds, rows in timed
    ]


def _rejects(reasons: Iterable[Mapping[str, Any]], rejected: int) -> list[Bar]:
    """The shares are of the rejected rows; a row may be rejected for several reasons."""
    return [
        Bar(
            label=" ".join(filter(None, (str(each.get("rule", "")), str(each.get("attribute") or "")))),
            figure=grouped(int(each.get("count", 0))),
            share=_share(int(each.get("count", 0)), rejected),
            note=said_again.again(str(each.get("message", ""))),
        )
        for each in reasons
    ]


def _top_matches(top: Iterable[Mapping[str, Any]]) -> list[Bar]:
    counted = [(int(each["subscription"]), int(each["matches"])) for each in top]
    most = max((matches for _, matches in counted), default=0)
    return [
        Bar(
            label=_("search %(number)d") % {"number": number},
            figure=grouped(matches),
            share=_share(matches, most),
            number=number,
        )
        for number, matches in counted
    ]


def _share(part: float, whole: float) -> float:
    return round(min(100.0, 100 * part / whole), 1) if whole else 0.0
