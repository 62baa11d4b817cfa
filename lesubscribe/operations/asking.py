"""Pages on which staff do something, after they were asked: the questions of the administration in our frame.

What is done goes into Django's log, for each row, where the administration shows it too, and into ours.
"""

from collections.abc import Callable, Sequence
from typing import Any

import structlog
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from lesubscribe.operations import looking
from lesubscribe.operations.access import Page, staff_who_may
from lesubscribe.operations.figures import Count
from matching import parked, stored_reasons
from matching.admin.events import Retry
from matching.models import PublishedEvent
from notifications import switch
from notifications.admin.channels import Disable, Enable
from notifications.admin.deliveries import Replay
from notifications.admin.switch import Halt, Resume
from notifications.core.wording import one_line
from notifications.models import Channel, Delivery, SendingSwitch
from schema_registry.accounts.models import User
from schema_registry.accounts.requests import signed_in
from schema_registry.staff.questions import Question, WhyForm
from schema_registry.staff.wording import listed

MOST_AT_ONCE = 5_000  # events that are tried again by one click: some seconds
_log = structlog.get_logger(__name__)


def _asked_about(rows: Callable[[], QuerySet[Any]], question: Question, *, right: str, place: str) -> Page:
    """The page of a question about one of these rows; `place` is the part of ours to go back to."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @staff_who_may(right)
    def ask(request: HttpRequest, number: int) -> HttpResponse:
        row = rows().filter(pk=number).first()
        if row is None:
            raise Http404
        form = question.form([row], request.POST if request.method == "POST" else None)
        if not form.is_valid():
            (subject,) = question.subjects([row])
            context = {
                "title": question.label,
                "question": question,
                "what": "" if isinstance(row, SendingSwitch) else one_line(str(row)),
                "effects": [effect for effect in subject.effects if effect],
                "refusal": subject.refusal,
                "form": form,
                "back": _back(place),
            }
            return render(request, "operations/question.html", context)
        try:
            outcome = question.carry_out(request.user, [row], form)
        except ObjectDoesNotExist:  # it went after we have found it
            raise Http404 from None
        for done, told in outcome.done:
            _note(signed_in(request), [done], told.strip(), question.name, form.cleaned_data["why"])
            messages.success(request, question.done % {"names": listed([one_line(str(done))])})
        for sentence in outcome.refused:
            messages.error(request, sentence)
        return redirect(_back(place))

    return ask


def _events() -> QuerySet[PublishedEvent]:
    return PublishedEvent.objects.select_related("publisher").defer("document")


def _deliveries() -> QuerySet[Delivery]:
    return Delivery.objects.select_related("channel__owner")


def _channels() -> QuerySet[Channel]:
    return Channel.objects.select_related("owner")


def _switch() -> QuerySet[SendingSwitch]:
    SendingSwitch.objects.get_or_create(pk=switch.THE_ROW)
    return SendingSwitch.objects.all()


retry = _asked_about(_events, Retry(), right="matching.change_publishedevent", place="parked")
replay = _asked_about(_deliveries, Replay(), right="notifications.change_delivery", place="given-up")
disable = _asked_about(_channels, Disable(), right="notifications.change_channel", place="failing")
enable = _asked_about(_channels, Enable(), right="notifications.change_channel", place="failing")
_halt = _asked_about(_switch, Halt(), right="notifications.change_sendingswitch", place="sending")
_resume = _asked_about(_switch, Resume(), right="notifications.change_sendingswitch", place="sending")


def halt(request: HttpRequest) -> HttpResponse:
    return _halt(request, switch.THE_ROW)


def resume(request: HttpRequest) -> HttpResponse:
    return _resume(request, switch.THE_ROW)


class RetryAll(Question):
    """Asked about a reason rather than about rows."""

    name = "retry-all"
    label = gettext_lazy("Try all of them again")
    explanation = gettext_lazy(
        "They are matched as if they had just been accepted. What fails again is parked again."
    )


@require_http_methods(["GET", "HEAD", "POST"])
@staff_who_may("matching.change_publishedevent")
def retry_all(request: HttpRequest) -> HttpResponse:
    """All events that were parked for the same reason."""
    reason = request.GET.get("reason", "").replace("\0", "")  # PostgreSQL refuses NUL
    form = WhyForm(request.POST if request.method == "POST" else None)
    of_it = looking.parked_events().filter(reason=reason).order_by()
    if not form.is_valid():
        most = looking.MOST_COUNTED
        count = Count.up_to(most, of_it[: most + 1].count())
        context = {
            "title": RetryAll.label,
            "question": RetryAll,
            "what": one_line(stored_reasons.again(reason)),
            "effects": [
                ngettext("%(count)s event.", "%(count)s events.", count.number) % {"count": count},
            ],
            "refusal": "" if count else _("No event is parked for this reason any more."),
            "form": form,
            "back": _back("parked"),
        }
        return render(request, "operations/question.html", context)
    done = parked.retry_all(reason, most=MOST_AT_ONCE)
    if done:
        _note_all(signed_in(request), reason, done, why=form.cleaned_data["why"])
        said = ngettext("%(count)d event is tried again.", "%(count)d events are tried again.", done)
        messages.success(request, said % {"count": done})
    else:
        messages.error(request, _("No event is parked for this reason any more."))
    if done == MOST_AT_ONCE and of_it.exists():
        messages.warning(request, _("There are more; try those again, too."))
    return redirect(_back("parked"))


def _note(by: User, rows: Sequence[Model], told: str, action: str, why: str) -> None:
    LogEntry.objects.log_actions(by.pk, rows, CHANGE, change_message=told)
    _log.info("staff_did", action=action, by=by.pk, rows=[row.pk for row in rows], why=why)


def _note_all(by: User, reason: str, count: int, *, why: str) -> None:
    """One line for all: thousands would hide every other."""
    events = ngettext("%(count)d parked event: %(reason)s", "%(count)d parked events: %(reason)s", count)
    LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(PublishedEvent),
        object_id=None,
        object_repr=one_line(events % {"count": count, "reason": stored_reasons.again(reason)}),
        action_flag=CHANGE,
        change_message=(_("To be tried again. %(why)s") % {"why": why}).strip(),
    )
    _log.info("staff_did", action=RetryAll.name, by=by.pk, count=count, reason=reason, why=why)


def _back(place: str) -> str:
    return f"{reverse('operations')}#{place}"
