"""Searches as a file: to take along, and to bring back."""

import json
import time

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from rest_framework.utils.encoders import JSONEncoder

from matching.portable import InvalidImport
from matching.portable_api import LARGEST_BODY, MOST_ITEMS
from matching.services import TooManySubscriptions
from notifications import portable
from notifications.pages.refusals import no_room
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import InputError
from schema_registry.core.json_input import in_a_file, read_json
from schema_registry.core.numbers import grouped

FILE_NAME = "lesubscribe-searches.json"


class ImportForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("One that was downloaded here or on another server, at most 8 MB."),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )


@login_required
@require_safe
@never_cache
def export_searches(request: HttpRequest) -> HttpResponse:
    document = portable.exported(signed_in(request), now=timezone.now())
    body = json.dumps(document, cls=JSONEncoder, ensure_ascii=False, indent=1)
    headers = {"Content-Disposition": f'attachment; filename="{FILE_NAME}"'}
    return HttpResponse(body, content_type="application/json", headers=headers)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def import_searches(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    faults: dict[str, InputError] = {}
    if form.is_valid():
        try:
            document = _read(form)
            stored = portable.imported(signed_in(request), document, now=timezone.now(), clock=time.monotonic)
        except InvalidImport as error:
            if {"document", "format"} & error.found.keys():
                form.add_error("file", _("Nothing was imported: this is no file that “Export” gave."))
            else:
                faults = error.found
                form.add_error("file", _("Nothing was imported: something in this file is wrong."))
        except TooManySubscriptions:
            form.add_error("file", no_room())
        except InputError as error:
            form.add_error("file", str(error))
        else:
            _say(request, imported=sum(made is not None for made in stored), total=len(stored))
            return redirect("searches")
    context = {
        "section": "searches",
        "form": form,
        "faults": [(place, str(fault)) for place, fault in faults.items()],
    }
    status = 422 if form.errors else 200
    return render(request, "notifications/searches/import.html", context, status=status)


def _read(form: ImportForm) -> object:
    """The document in the file. Raises InputError."""
    file = form.cleaned_data["file"]
    if file.size > LARGEST_BODY:
        raise InputError(_("This file is over 8 MB, the most that is taken."))
    return read_json(in_a_file(file.read()), max_bytes=LARGEST_BODY, max_items=MOST_ITEMS)


def _say(request: HttpRequest, *, imported: int, total: int) -> None:
    words = ngettext("%(count)s search was imported.", "%(count)s searches were imported.", imported)
    said = words % {"count": grouped(imported)}
    if skipped := total - imported:
        words = ngettext(
            "%(count)s was skipped: you have it already.",
            "%(count)s were skipped: you have them already.",
            skipped,
        )
        said += " " + words % {"count": grouped(skipped)}
    messages.success(request, said)
