"""Adding a chat or push service: a page for each, with the one to three things that it needs to know."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from notifications import channels
from notifications.chat.addresses import written
from notifications.chat.services import SERVICES
from notifications.models import Channel
from notifications.pages.telling_forms import ChatForm
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import InputError


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def new(request: HttpRequest, service: str) -> HttpResponse:
    chosen = SERVICES.get(service)
    if chosen is None:
        raise Http404
    form = ChatForm(chosen, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = channels.add(
                signed_in(request),
                kind=Channel.Kind.CHAT,
                address=written(chosen, form.cleaned_data),
                now=timezone.now(),
            )
        except InputError as refused:
            form.add_error(None, str(refused))
        else:
            sentence = _(
                "Added. Follow the link in the message that we have sent to %(service)s, and it is used."
            )
            messages.success(request, sentence % {"service": chosen.name})
            return redirect(f"{reverse('telling')}#channel-{made.pk}")
    context = {"section": "telling", "service": chosen, "services": SERVICES.values(), "form": form}
    return render(request, "notifications/telling/chat_new.html", context)
