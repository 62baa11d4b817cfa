"""Pages of a publisher are for its members; to everybody else they are not there."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from schema_registry.accounts.memberships import publishers_of
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.requests import signed_in

# The pages side by side: the name of the address, and what its tab says. Those of matching are known by name
# alone: there is one row of them.
TABS = (
    ("publish-start", _("First steps")),
    ("publish-playground", _("Playground")),
    ("publish-items", _("Items")),
    ("publish-traffic", _("Traffic")),
    ("publish-rejects", _("Rejects")),
    ("publish-demand", _("Demand")),
    ("publish-schema", _("Schema")),
    ("publish-views", _("Views")),
    ("publish-keys", _("Keys")),
    ("publish-members", _("Members")),
)
Page = Callable[Concatenate[HttpRequest, Publisher, ...], HttpResponse]


def of_a_publisher(page: Page) -> Callable[..., HttpResponse]:
    """Calls the page with the publisher whose number is in the address, if the reader is a member of it."""

    @wraps(page)
    def checked(request: HttpRequest, number: int, **named: Any) -> HttpResponse:
        publisher = publishers_of(signed_in(request)).select_related("user").filter(pk=number).first()
        if publisher is None:
            raise Http404
        return page(request, publisher, **named)

    return login_required(never_cache(checked))


def shown(
    request: HttpRequest, publisher: Publisher, template: str, tab: str, **context: Any
) -> HttpResponse:
    """A page in the console's frame; `tab` is the name of the address that its tab leads to."""
    context |= {"section": "publish", "publisher": publisher, "tab": tab, "tabs": TABS}
    return render(request, template, context)
