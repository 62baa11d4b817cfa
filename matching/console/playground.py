"""The playground: paste an event, and see what we would say to it. Nothing is stored."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from matching.console.verdicts import MOST_BYTES, Verdict, judged
from schema_registry.accounts.models import Publisher
from schema_registry.console.access import of_a_publisher, shown
from schema_registry.event_examples import as_json, examples
from schema_registry.selectors import current_schema

EXAMPLES = 6
MISTAKES = "?"  # stands for an example that has some; no event type is called so


@require_http_methods(["GET", "HEAD", "POST"])
@of_a_publisher
def playground(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    """`?example=` an event type puts an event of it into the form."""
    if request.method != "POST":
        return _page(request, publisher, _example(request.GET.get("example", "")))
    text = request.POST.get("event", "").replace("\r\n", "\n")  # as browsers send lines
    verdict = judged(publisher, text, now=timezone.now())
    if request.headers.get("HX-Request"):
        return render(request, "console/verdict.html", {"publisher": publisher, "verdict": verdict})
    return _page(request, publisher, text, verdict)


def _page(
    request: HttpRequest, publisher: Publisher, text: str, verdict: Verdict | None = None
) -> HttpResponse:
    context: dict[str, Any] = {
        "text": text,
        "verdict": verdict,
        "most": MOST_BYTES,
        "mistakes": MISTAKES,
        "event_types": [name for name, _document in examples(current_schema(), most=EXAMPLES)],
    }
    return shown(request, publisher, "console/playground.html", "publish-playground", **context)


def _example(wanted: str) -> str:
    """The first one if there is none of this type; nothing if there is none at all."""
    found = dict(examples(current_schema(), most=EXAMPLES))
    if not found:
        return ""
    document = found.get(wanted) or next(iter(found.values()))
    return as_json(_spoilt(document) if wanted == MISTAKES else document)


def _spoilt(document: dict[str, Any]) -> dict[str, Any]:
    """With a mistake in everything: an event type, a name and a value."""
    (event_type,) = document["event"]["event_type"]
    names = [name for name in document["event"] if name != "event_type"]
    event = {"event_type": [f"{event_type}x"], **{f"{name}_": ["one", "two"] for name in names[:1]}}
    return {**document, "event": event | {name: {} for name in names[1:]}}
