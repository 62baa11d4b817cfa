"""What was found for a person, or by one search, as an Atom feed at a secret address.

An item is one entry, whichever of the searches found it; one that the person has hidden is none. Whoever has
read it before and asks again gets it only if something has changed; to see that takes one query.
"""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from matching.models import Match, Subscription
from matching.selectors import shown_to
from notifications import links
from notifications.core.messages import Item
from notifications.core.wording import exact_moment, one_line, title_of, web_link
from notifications.items import items_of, words_of
from schema_registry.accounts.languages import speaking_to
from schema_registry.accounts.models import User
from schema_registry.selectors import schema_at

MOST_MATCHES = 100


@dataclass(frozen=True, slots=True)
class Found:
    """An item, and when it was last found."""

    item: Item
    at: datetime


@dataclass(frozen=True, slots=True)
class Reader:
    """Whose feed it is, and of which search if not of all."""

    user: User
    search: Subscription | None


class Finds(Feed):
    feed_type = Atom1Feed
    link = "/"
    author_name = "Le Subscribe"

    def get_object(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Reader:
        reader: Reader = kwargs["reader"]
        return reader

    def title(self, reader: Reader) -> str:
        return f"Le Subscribe: {one_line(_name(reader.search)) if reader.search else _('all my searches')}"

    def feed_guid(self, reader: Reader) -> str:
        return _tag(f"search/{reader.search.pk}" if reader.search else f"person/{reader.user.pk}")

    def items(self, reader: Reader) -> list[Found]:
        matches = list(_newest(reader))
        found_at = {match.event_id: match.matched_at for match in reversed(matches)}
        return [Found(item, found_at[item.event]) for item in items_of(matches)]

    def item_title(self, found: Found) -> str:
        price = f" - {found.item.price}" if found.item.price else ""
        return title_of(found.item) + price

    def item_description(self, found: Found) -> str:
        """HTML, in which all that comes from outside is escaped."""
        item = found.item
        context = {
            "title": title_of(item),
            "picture": web_link(item.image_url),
            "publisher": one_line(item.publisher),
            "price": item.price,
            "ends": exact_moment(item.ends_at, timezone.get_default_timezone()) if item.ends_at else "",
            "reasons": [
                (one_line(reason.name), [held.words for held in reason.why]) for reason in item.reasons
            ],
        }
        return render_to_string("notifications/atom_entry.html", context).strip()

    def item_link(self, found: Found) -> str:
        return web_link(found.item.url) or settings.BASE_URL

    def item_guid(self, found: Found) -> str:
        return _tag(f"event/{found.item.event}")

    def item_pubdate(self, found: Found) -> datetime:
        return found.at

    def item_updateddate(self, found: Found) -> datetime:
        return found.at


def _reader(token: str) -> Reader:
    """Raises Http404, for whatever reason nothing is to be read here."""
    try:
        owner, search = links.read_atom(token)
        user = User.objects.get(pk=owner, is_active=True)
        if search is None:
            return Reader(user, None)
        mine = Subscription.objects.filter(owner=user).exclude(state=Subscription.State.REMOVED)
        return Reader(user, mine.defer("compiled").get(pk=search))
    except (links.BadLink, User.DoesNotExist, Subscription.DoesNotExist):
        raise Http404 from None


def _name(search: Subscription) -> str:
    return search.name or words_of(search.canonical, schema_at(search.schema_version))


def _newest(reader: Reader) -> QuerySet[Match]:
    found = shown_to(reader.user).select_related("event__publisher")
    if reader.search is not None:
        found = found.filter(subscription=reader.search)
    return found[:MOST_MATCHES]


def _version(reader: Reader) -> tuple[str, int | None]:
    """What is another whenever the feed says something else, and when something was last found.

    Events do not change; searches may.
    """
    columns = ("matched_at", "pk", "subscription__name", "subscription__canonical")
    rows = list(_newest(reader).values_list(*columns))
    newest = max((row[0] for row in rows), default=None)
    said = repr((rows, get_language()))
    etag = f'"{sha256(said.encode()).hexdigest()[:32]}"'
    return etag, None if newest is None else int(newest.timestamp())


def _tag(name: str) -> str:
    """RFC 4151: an id that is nobody else's, and stays the same wherever we move."""
    return f"tag:{urlsplit(settings.BASE_URL).hostname},2026:{name}"


_feed = Finds()


@require_safe
@cache_control(private=True, no_cache=True)
def atom(request: HttpRequest, token: str) -> HttpResponse:
    reader = _reader(token)
    with speaking_to(reader.user):
        etag, found_at = _version(reader)
        known = get_conditional_response(request, etag=etag, last_modified=found_at)
        response = known or _feed(request, reader=reader)
        response["Content-Language"] = get_language()
    response["ETag"] = etag
    response["X-Robots-Tag"] = "noindex"
    return response
