"""The way in: the publishers somebody looks after, and the form that makes a new one."""

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from schema_registry.accounts import memberships
from schema_registry.accounts.invitations import invitations_to
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import InputError


class ApplicationForm(forms.Form):
    name = forms.CharField(
        label=_("Name of your auction house"),
        help_text=_("People see it beside every item that you publish."),
        max_length=Publisher._meta.get_field("name").max_length,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """Leads on where there is one publisher only; `?new` asks for the form all the same."""
    me = signed_in(request)
    publishers = list(memberships.publishers_of(me))
    invitations = list(invitations_to(me, now=timezone.now()))
    form = ApplicationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            publisher = memberships.apply(me, form.cleaned_data["name"])
        except InputError as refused:
            form.add_error("name", str(refused))
        else:
            return redirect("publish-start", publisher.pk)
    elif request.method != "POST" and len(publishers) == 1 and not invitations and "new" not in request.GET:
        return redirect("publish-start", publishers[0].pk)
    context = {"section": "publish", "publishers": publishers, "invitations": invitations, "form": form}
    return render(request, "console/index.html", context)
