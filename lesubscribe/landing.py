"""The landing page, and the part of it that is asked for again while somebody looks."""

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lesubscribe.live_example import Example, live_example
from schema_registry.core.errors import InputError
from schema_registry.selectors import current_schema

Words = str | Promise
AN_ITEM = """{"external_id": "lot-7", "title": "Side table in oak",
       "event": {"event_type": ["furniture"], "category": "side-table",
                 "title": "Side table in oak", "price": 140}}"""


@dataclass(frozen=True, slots=True)
class DrawnLot:
    """One that is made up."""

    picture: str
    over: Words
    title: Words
    price: Words
    why: tuple[Words, ...]
    badge: str = "match"


DRAWN = (
    DrawnLot(
        "drop_leaf_table",
        _("Lot 214"),
        _("Drop-leaf table in oak, about 1890"),
        _("140 EUR"),
        (_("A dining table, at most 200 EUR, with “oak” in its title."),),
    ),
    DrawnLot(
        "side_table",
        _("Lot 231"),
        _("Side table with one drawer, oak"),
        _("85 EUR"),
        (_("A side table, at most 200 EUR, with “oak” in its title."),),
    ),
    DrawnLot(
        "armchair",
        _("Lot 238"),
        _("Armchair in oak, spindle back"),
        _("120 EUR"),
        (_("The price and the word fit, but it is no table."),),
        badge="passed_over",
    ),
)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    found = live_example()
    context = {"drawn": DRAWN} if found is None else _shown(found)
    return render(request, "lesubscribe/home.html", {**context, "command": first_command()})


@require_safe
@never_cache
def example(request: HttpRequest) -> HttpResponse:
    """The example if there is something newer in it than the find `newest`; else 204, and the page stays."""
    found = live_example()
    before = request.GET.get("newest", "")
    if found is None or before == str(found.newest):
        return HttpResponse(status=204)
    known = int(before) if before.isdecimal() and len(before) < 20 else None
    return render(request, "lesubscribe/parts/live_example.html", _shown(found, known=known))


def _shown(example: Example, *, known: int | None = None) -> dict[str, Any]:
    """What came after the find that is `known` has arrived while somebody looked."""
    finds = [(find, known is not None and find.number > known) for find in example.finds]
    return {"example": example, "finds": finds}


def first_command() -> str:
    """For a terminal: it publishes an item if the schema knows such items, else it reads the schema."""
    try:
        current_schema().validate(json.loads(AN_ITEM)["event"])
    except InputError:
        return f"curl {settings.BASE_URL}{reverse('api-schema')}"
    return (
        f"curl {settings.BASE_URL}{reverse('events')} \\\n"
        '  -H "Authorization: Bearer $KEY" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        f"  -d '{AN_ITEM}'"
    )
