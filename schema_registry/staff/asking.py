"""Pages that ask staff before something is done: what it is about, what it affects, and why.

A question is asked from the list, about the chosen rows, and from the page of one row; both lead to the
same page. What is done is noted in Django's log, for each row.
"""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import gettext as _

from schema_registry.staff.questions import Outcome, Question
from schema_registry.staff.wording import listed

_IS_KEY = re.compile(r"[0-9]{1,18}")


class AskingAdmin(admin.ModelAdmin):
    questions: ClassVar[tuple[Question, ...]] = ()
    change_form_template = "admin/staff/change_form.html"

    def may_answer(self, request: HttpRequest) -> bool:
        """Whether this user has the right to change such rows, by whatever way."""
        return request.user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}")

    def get_actions(self, request: HttpRequest) -> Any:
        found: dict[str, Any] = super().get_actions(request)
        for question in self.questions if self.may_answer(request) else ():
            if question.in_lists:
                found[question.name] = (partial(_ask, question), question.name, question.label)
        return found

    def get_urls(self) -> list[Any]:
        asking = path(
            "ask/<slug:name>/",
            self.admin_site.admin_view(self.asking_view),
            name=f"{self.opts.app_label}_{self.opts.model_name}_ask",
        )
        return [asking, *super().get_urls()]

    def render_change_form(self, request: Any, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        if kwargs.get("obj") is not None:
            context["tools"] = self.tools(request, kwargs["obj"])
        return super().render_change_form(request, context, *args, **kwargs)

    def tools(self, request: HttpRequest, row: Any) -> list[tuple[Any, str]]:
        """The links above the page of a row."""
        if not self.may_answer(request):
            return []
        asked = (question for question in self.questions if question.on_pages)
        return [(each.label, asking_url(row, each.name)) for each in asked if each.makes_sense_for(row)]

    def asking_view(self, request: HttpRequest, name: str) -> HttpResponse:
        question = next((question for question in self.questions if question.name == name), None)
        if question is None:
            raise Http404
        if not self.may_answer(request):
            raise PermissionDenied
        rows = self._rows_asked_about(request, question)
        if len(rows) < question.fewest:
            self.message_user(request, _("There is nothing like that any more."), messages.ERROR)
            return redirect(self._list_url())
        form = question.form(rows, request.POST if request.method == "POST" else None)
        if form.is_valid():
            try:
                outcome = question.carry_out(request.user, rows, form)
            except question.refusals as refusal:
                form.add_error(None, str(refusal))
            else:
                return self._answered(request, question, rows, outcome)
        return self._asking_page(request, question, rows, form)

    def _rows_asked_about(self, request: HttpRequest, question: Question) -> list[Any]:
        given = request.GET.get("ids", "").split(",")
        if not question.fewest <= len(given) <= question.most or not all(map(_IS_KEY.fullmatch, given)):
            raise Http404
        return list(self.get_queryset(request).filter(pk__in=given))

    def _answered(
        self, request: HttpRequest, question: Question, rows: Sequence[Any], outcome: Outcome
    ) -> HttpResponse:
        for row, told in outcome.done:
            self.log_change(request, row, told.strip())
        if outcome.done:
            names = listed(row for row, _told in outcome.done)
            self.message_user(request, question.done % {"names": names}, messages.SUCCESS)
        for sentence in outcome.refused:
            self.message_user(request, sentence, messages.ERROR)
        return redirect(_page_url(rows[0]) if len(rows) == 1 else self._list_url())

    def _asking_page(
        self, request: HttpRequest, question: Question, rows: Sequence[Any], form: forms.Form
    ) -> HttpResponse:
        subjects, refusal = question.subjects(rows), question.refusal(rows)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": question.label,
            "question": question,
            "subjects": [(subject, _page_url(subject.row)) for subject in subjects],
            "refusal": refusal,
            "possible": not refusal and not all(subject.refusal for subject in subjects),
            "impact": question.impact(rows),
            "form": form,
            "adminform": helpers.AdminForm(form, [(None, {"fields": list(form.fields)})], {}),  # type: ignore[arg-type]
            "media": self.media + form.media,
            "back": _page_url(rows[0]) if len(rows) == 1 else self._list_url(),
        }
        return TemplateResponse(request, "admin/staff/question.html", context)

    def _list_url(self) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")


def asking_url(row: Any, name: str) -> str:
    """Where this question is asked about this one row."""
    return _asking_url(row._meta, name, [row.pk])


def _asking_url(opts: Any, name: str, ids: Iterable[Any]) -> str:
    asked_about = urlencode({"ids": ",".join(map(str, ids))})
    return f"{reverse(f'admin:{opts.app_label}_{opts.model_name}_ask', args=[name])}?{asked_about}"


def _page_url(row: Any) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def _ask(
    question: Question, page: AskingAdmin, request: HttpRequest, chosen: QuerySet[Any]
) -> HttpResponse | None:
    ids = list(chosen.values_list("pk", flat=True)[: question.most + 1])
    if question.fewest <= len(ids) <= question.most:
        return redirect(_asking_url(page.opts, question.name, ids))
    bounds = {"fewest": question.fewest, "most": question.most}
    page.message_user(request, _("Choose %(fewest)d to %(most)d of them.") % bounds, messages.ERROR)
    return None
