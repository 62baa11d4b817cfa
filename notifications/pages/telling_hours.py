"""Saving when one may be told, and drawing it while one chooses."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from notifications import preferences
from notifications.hours import hours_of
from notifications.pages import telling
from notifications.pages.telling_bar import bar_of
from notifications.pages.telling_forms import HoursForm
from schema_registry.accounts.requests import signed_in


@require_POST
@login_required
def save(request: HttpRequest) -> HttpResponse:
    form = HoursForm(request.POST)
    if not form.is_valid():
        return telling.page(request, hours=form, now=timezone.now())
    preferences.change(signed_in(request), form.cleaned_data)
    messages.success(
        request, _("Saved. Your times are those of %(zone)s.") % {"zone": form.cleaned_data["time_zone"]}
    )
    return redirect(f"{reverse('telling')}#hours")


@require_safe
@login_required
def draw(request: HttpRequest) -> HttpResponse:
    """The bar as it would be; what cannot be is said, and what is saved is drawn. Nothing is changed."""
    form = HoursForm(request.GET)
    is_valid = form.is_valid()
    hours = form.hours() if is_valid else hours_of(signed_in(request).pk)
    faults = [(form[name].label, errors) for name, errors in form.errors.items() if name in form.fields]
    context = {"bar": bar_of(hours, now=timezone.now()), "faults": faults}
    return render(request, "notifications/telling/bar.html", context)
