"""What a search would have found lately, shown before it is saved."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from matching.selectors import looked_back
from notifications.core.messages import Item
from notifications.core.wording import title_of, web_link
from notifications.items import items_found_by
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.known_operators import OPERATORS
from schema_registry.language import parse
from schema_registry.selectors import current_schema

DAYS = 30
MOST_SHOWN = 4
NOISY = 20  # finds a day, on average


@dataclass(frozen=True, slots=True)
class Found:
    """`items` come newest first, each with why it matched."""

    count: int
    days: tuple[tuple[date, int], ...]
    items: Sequence[Item]
    looked_at: int
    warnings: tuple[str, ...]
    is_least: bool = False

    @property
    def a_day(self) -> int:
        return round(self.count / len(self.days))

    @property
    def is_noisy(self) -> bool:
        return self.count > NOISY * len(self.days)


@dataclass(frozen=True, slots=True)
class Shown:
    """What it would have found, or why that cannot be told; neither for an empty text."""

    found: Found | None = None
    error: str = ""


@login_required
@never_cache
@require_POST
def preview(request: HttpRequest) -> HttpResponse:
    """The part of the page, for the text that is sent."""
    shown = previewed(request.POST.get("text", ""), current_schema(), now=timezone.now())
    return render(request, "notifications/search/preview.html", {"preview": shown, "days": DAYS})


def previewed(text: str, schema: Schema, *, now: datetime) -> Shown:
    if not text.strip():
        return Shown()
    try:
        parsed = parse(text, schema, operators=OPERATORS)
        found = looked_back(parsed, days=DAYS, now=now, clock=time.monotonic, most_samples=MOST_SHOWN)
    except SubscriptionError as error:
        return Shown(error=error.message)
    items = items_found_by(parsed.canonical, schema, [sample.number for sample in found.samples])
    shown = [replace(item, title=title_of(item), url=web_link(item.url)) for item in items]
    is_least = not found.complete
    return Shown(Found(found.count, found.days, shown, found.looked_at, found.warnings, is_least))
