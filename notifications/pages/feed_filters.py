"""What the feed can be filtered by: the searches and sites that the newest finds are from.

Publishers are named to nobody for whom nothing of theirs was found: whoever asks for one of those by its
number is answered as if there were none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from matching.feed_items import FeedPage, newest_origins
from matching.selectors import subscriptions_of
from notifications.core.wording import LONGEST_NAME, one_line
from notifications.items import name_of
from notifications.pages.feed_query import FeedQuery
from schema_registry.accounts.models import Publisher, User
from schema_registry.selectors import schema_at

MOST_LOOKED_AT = 500
MOST_CHOICES = 100

Choice = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Choices:
    """Each by name; `newest` is the owner's newest match, None without any.

    `has_nameless_site` if the site that is chosen has none of the finds that were looked at.
    """

    searches: list[Choice]
    sites: list[Choice]
    has_nameless_site: bool
    newest: int | None


def choices_of(owner: User, query: FeedQuery, page: FeedPage) -> Choices:
    """In three queries; what is chosen is always among them, but for a site without finds here."""
    origins = newest_origins(owner, most=MOST_LOOKED_AT)
    searches = [each.search for each in origins]
    sites = [*(item.matches[0].event.publisher_id for item in page.items)]
    sites += (each.publisher for each in origins)
    is_known = query.site in sites
    return Choices(
        searches=_by_name(_search_names(owner, _some(searches, first=query.search))),
        sites=_by_name(_site_names(_some(sites, first=query.site if is_known else None))),
        has_nameless_site=query.site is not None and not is_known,
        newest=origins[0].match if origins else None,
    )


def _some(found: Iterable[int], *, first: int | None) -> list[int]:
    return list(dict.fromkeys([*([] if first is None else [first]), *found]))[:MOST_CHOICES]


def _site_names(numbers: list[int]) -> Iterable[Choice]:
    return Publisher.objects.filter(pk__in=numbers).values_list("pk", "name")


def _search_names(owner: User, numbers: list[int]) -> list[Choice]:
    schema = cache(schema_at)
    return [(row.pk, name_of(row, schema=schema)) for row in subscriptions_of(owner).filter(pk__in=numbers)]


def _by_name(choices: Iterable[Choice]) -> list[Choice]:
    shown = [(number, one_line(name, most=LONGEST_NAME)) for number, name in choices]
    return sorted(shown, key=lambda choice: choice[1].casefold())
