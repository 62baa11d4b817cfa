"""Adding to the schema: each of the four rules is filled in, looked at with what is there, and then made."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from schema_registry import browsing, selectors, services
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.requests import signed_in
from schema_registry.console.access import of_a_publisher, shown
from schema_registry.console.extension_forms import (
    MOST_OFFERED,
    AttributeForm,
    DomainForm,
    EventTypeForm,
    ExtendTypeForm,
    ExtensionForm,
)
from schema_registry.console.proposals import as_curl, made_by
from schema_registry.core.errors import InputError
from schema_registry.core.schema import Schema
from schema_registry.models import SchemaVersion

MOST_LISTED = 20
TAB = "publish-schema"
FORMS: dict[str, type[ExtensionForm]] = {
    "publish-schema-domain": DomainForm,
    "publish-schema-attribute": AttributeForm,
    "publish-schema-event-type": EventTypeForm,
    "publish-schema-extension": ExtendTypeForm,
}


@require_safe
@of_a_publisher
def schema(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    """The four ways to add something, and what this publisher has added; `?made=` tells of one just made."""
    own = SchemaVersion.objects.filter(publisher=publisher)
    context: dict[str, Any] = {
        "rules": [
            (reverse(name, args=[publisher.pk]), form.title, form.lead) for name, form in FORMS.items()
        ],
        "versions": own.order_by("-version")[:MOST_LISTED],
        "may_extend": publisher.state == Publisher.State.APPROVED,
        "again_at": selectors.next_extension_at(publisher, now=timezone.now()),
        **_made(request, own),
    }
    return shown(request, publisher, "console/schema.html", TAB, **context)


@require_http_methods(["GET", "HEAD", "POST"])
@of_a_publisher
def extend(request: HttpRequest, publisher: Publisher, rule: str) -> HttpResponse:
    """`do` is what the button says: preview, make, more (rows), or edit."""
    if publisher.state != Publisher.State.APPROVED:
        return shown(request, publisher, "console/extension.html", TAB, form=None)
    now = selectors.current_schema()
    sent = request.method == "POST"
    form = FORMS[rule](request.POST if sent else None, schema=now, initial=request.GET.dict())
    do = request.POST.get("do", "preview") if sent else "edit"
    context: dict[str, Any] = {"form": form, "action": request.path, **_offered(now)}
    if do not in ("edit", "more") and form.is_valid():
        proposal = form.proposal()
        if do == "make":
            by = services.Author(signed_in(request), publisher, form.cleaned_data["why"])
            try:
                new = proposal.make(by)
            except InputError as refusal:
                form.refuse(refusal)
            else:
                made = urlencode({"made": new.version})
                return redirect(f"{reverse('publish-schema', args=[publisher.pk])}?{made}")
        else:
            new = proposal.apply(now)
            context |= {
                "proposal": proposal,
                "new_version": new.version,
                "hints": proposal.hints(now),
                "effects": proposal.effects(new),
                "proposal_words": proposal.values_in_words(new),
                "example": proposal.example(new),
            }
    return shown(request, publisher, "console/extension.html", TAB, **context)


def _made(request: HttpRequest, own: Any) -> dict[str, Any]:
    """Of the version that the address names, if this publisher has made it."""
    asked = request.GET.get("made", "")
    if not asked.isdecimal() or len(asked) > 9:
        return {}
    version = own.filter(version=int(asked)).first()
    proposal = version and made_by(version, selectors.current_schema())
    if not proposal:
        return {}
    return {"made": version, "made_page": proposal.page(), "curl": _curl(request, *proposal.request())}


def _curl(request: HttpRequest, address: str, body: dict[str, Any]) -> str:
    return as_curl(request.build_absolute_uri(address), body)


def _offered(now: Schema) -> dict[str, Any]:
    """Names that browsers complete; of many only the first, as every page with the form has them."""
    return {
        "domains_offered": browsing.offered_first(now.domains, now.deprecated.domains)[:MOST_OFFERED],
        "attributes_offered": browsing.offered_first(now.attributes, now.deprecated.attributes)[
            :MOST_OFFERED
        ],
        "types_offered": browsing.offered_first(now.event_types, now.deprecated.event_types)[:MOST_OFFERED],
    }
