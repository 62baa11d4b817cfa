"""Who looks after a publisher: its members, who is invited, and the way out."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from schema_registry.accounts import invitations, memberships
from schema_registry.accounts.models import Invitation, Publisher
from schema_registry.accounts.requests import signed_in
from schema_registry.console.access import of_a_publisher, shown
from schema_registry.core.errors import InputError


class InviteForm(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("Email address"),
        help_text=gettext_lazy(
            "A mail asks them to join. Whoever signs in with this address can say yes within 14 days."
        ),
        max_length=Invitation._meta.get_field("email").max_length,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@of_a_publisher
def members(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    """A POST invites somebody. It is answered alike whether they have an account or not."""
    now, me = timezone.now(), signed_in(request)
    form = InviteForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        email = form.cleaned_data["email"]
        try:
            invitations.invite(publisher, email, by=me, now=now)
        except InputError as refused:
            form.add_error("email", str(refused))
        else:
            messages.success(request, _("%(email)s is invited.") % {"email": email})
            return redirect("publish-members", publisher.pk)
    context = {
        "form": form,
        "members": list(memberships.members_of(publisher)),
        "invited": list(invitations.open_invitations(publisher, now=now)),
        "me": me,
    }
    return shown(request, publisher, "console/members.html", "publish-members", **context)


@require_POST
@of_a_publisher
def leave(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    try:
        memberships.leave(publisher, signed_in(request))
    except InputError as refused:
        messages.error(request, str(refused))
        return redirect("publish-members", publisher.pk)
    messages.success(request, _("You no longer look after %(name)s.") % {"name": publisher.name})
    return redirect("publish")


@require_POST
@of_a_publisher
def take_back(request: HttpRequest, publisher: Publisher, invitation: int) -> HttpResponse:
    """An invitation that nobody has answered yet."""
    now = timezone.now()
    found = invitations.open_invitations(publisher, now=now).filter(pk=invitation).first()
    if found is None:
        raise Http404
    invitations.close(found, now=now)
    messages.success(request, _("%(email)s is no longer invited.") % {"email": found.email})
    return redirect("publish-members", publisher.pk)


@require_POST
@login_required
@never_cache
def answer(request: HttpRequest, invitation: int) -> HttpResponse:
    """Join, or turn it down: `yes` says which. To all others the invitation is not there."""
    now, me = timezone.now(), signed_in(request)
    found = invitations.invitations_to(me, now=now).filter(pk=invitation).first()
    if found is None:
        raise Http404
    if request.POST.get("yes") is None:
        invitations.close(found, now=now)
        return redirect("publish")
    if not invitations.accept(found, me, now=now):
        raise Http404
    return redirect("publish-start", found.publisher_id)
