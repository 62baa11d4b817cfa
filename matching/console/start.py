"""The first steps of a publisher: key, event sent, accepted, matched. Drawn anew as they are taken."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from matching.first_steps import Progress, progress
from schema_registry.accounts.models import Publisher
from schema_registry.console.access import of_a_publisher, shown
from schema_registry.event_examples import command, examples
from schema_registry.selectors import current_schema


@require_safe
@of_a_publisher
def start(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    context = _context(publisher, progress(publisher))
    return shown(request, publisher, "console/start.html", "publish-start", **context)


@require_safe
@of_a_publisher
def steps(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    """The steps, if they are not as they `was`; else 204, and the page stays."""
    made = progress(publisher)
    if request.GET.get("was") == made.mark:
        return HttpResponse(status=204)
    context = {**_context(publisher, made), "publisher": publisher, "said": _said(made)}
    return render(request, "console/steps_anew.html", context)


def _context(publisher: Publisher, made: Progress) -> dict[str, Any]:
    found = examples(current_schema(), most=1)
    address = f"{settings.BASE_URL}{reverse('events')}"
    return {
        "progress": made,
        "is_pending": publisher.state == Publisher.State.PENDING,
        "is_suspended": publisher.state == Publisher.State.SUSPENDED,
        "command": command(address, found[0][1]) if found else "",
        "event_type": found[0][0] if found else "",
        "schema_command": f"curl {settings.BASE_URL}{reverse('api-schema')}",
    }


def _said(made: Progress) -> str:
    """For those who hear the page."""
    if made.is_done:
        return _("All four steps are done.")
    return _("Step %(number)d of 4 is next.") % {"number": made.next_step}
