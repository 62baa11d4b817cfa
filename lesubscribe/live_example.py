"""What the landing page shows: a search of the demo, and what it found last.

Only searches that the demo itself brought along are ever shown, so nobody's own are. All visitors together
cause one look at the database every two seconds; when Redis is away, those of each process do.
"""

from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache
from django.utils.translation import get_language

from lesubscribe.demo import DEMO_EMAIL
from lesubscribe.demo.searches import SEARCHES
from matching.models import Match, Subscription
from matching.selectors import matches_of
from notifications.core.reasons import predicate_in_words
from notifications.core.wording import LONGEST_NAME, LONGEST_TITLE, one_line, title_of
from notifications.items import items_of
from schema_registry.accounts.models import User
from schema_registry.core.operator_words import verbs_of
from schema_registry.core.predicates import Predicate
from schema_registry.known_operators import OPERATORS
from schema_registry.language import STORED, parse
from schema_registry.language.ast import And
from schema_registry.selectors import schema_at

SECONDS_KEPT = 2
FINDS_SHOWN = 3
# Those that read well at first sight, and whose finds we have drawings for.
SHOWN = ("Any table in oak", "Dining tables under 200 EUR", "Armchairs, 100 to 300 EUR")
_TEXTS = [search.text for search in SEARCHES if search.name in SHOWN]
_PICTURES = {
    "armchair": "armchair",
    "card-table": "side_table",
    "desk": "desk",
    "dining-table": "dining_table",
    "side-table": "side_table",
}
_OTHER_PICTURE = "drop_leaf_table"
_KEY, _TURN = "live-example", "live-example-was-looked-for"


@dataclass(frozen=True, slots=True)
class Condition:
    """Price / at most / 200 EUR."""

    attribute: str
    verb: str
    value: str


@dataclass(frozen=True, slots=True)
class Find:
    number: int
    title: str
    price: str
    site: str
    picture: str
    found_at: datetime
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A search, and its newest finds first."""

    conditions: tuple[Condition, ...]
    finds: tuple[Find, ...]

    @property
    def newest(self) -> int:
        return self.finds[0].number


def live_example() -> Example | None:
    """The example as it was at most two seconds ago; None where there is no demo, or it found nothing."""
    language = get_language()
    kept: tuple[Example | None] | None = cache.get(f"{_KEY}-{language}")
    is_ours = cache.add(f"{_TURN}-{language}", True, timeout=SECONDS_KEPT)
    if kept is not None and not is_ours:
        return kept[0]
    example = newest_example()
    cache.set(f"{_KEY}-{language}", (example,), timeout=60)
    return example


def newest_example() -> Example | None:
    """Of the searches that are shown, the one that found something last. Some queries, each by an index."""
    owner = User.objects.filter(email=DEMO_EMAIL).first()
    if owner is None:
        return None
    searches = Subscription.objects.filter(owner=owner, state=Subscription.State.ACTIVE, text__in=_TEXTS)
    found = [_newest_matches(owner, number) for number in searches.values_list("pk", flat=True)]
    matches = max(filter(None, found), key=lambda matches: matches[0].pk, default=None)
    return None if matches is None else _example(matches)


def _newest_matches(owner: User, subscription: int) -> list[Match]:
    # The subscription's index gives the newest ones at once, whatever else the owner has.
    mine = matches_of(owner).filter(subscription=subscription, hidden=False)
    return list(mine.select_related("event__publisher", "subscription")[:FINDS_SHOWN])


def _example(matches: list[Match]) -> Example:
    subscription = matches[0].subscription
    finds = [
        Find(
            number=match.pk,
            title=title_of(item, most=LONGEST_TITLE),
            price=item.price,
            site=one_line(item.publisher, most=LONGEST_NAME),
            picture=_PICTURES.get(str(item.attributes.get("category")), _OTHER_PICTURE),
            found_at=match.matched_at,
            why=tuple(held.words for reason in item.reasons for held in reason.why),
        )
        for match, item in zip(matches, items_of(matches), strict=True)
    ]
    return Example(_conditions(subscription), tuple(finds))


def _conditions(subscription: Subscription) -> tuple[Condition, ...]:
    schema = schema_at(subscription.schema_version)
    expression = parse(subscription.canonical, schema, operators=OPERATORS, limits=STORED).expression
    parts = expression.parts if isinstance(expression, And) else (expression,)
    conditions = []
    for predicate in parts:
        assert isinstance(predicate, Predicate), "the searches that are shown have no alternatives"
        domain = schema.domain_of[predicate.attribute]
        words = predicate_in_words(predicate, domain)
        verb = verbs_of(predicate.operator, domain)[predicate.negated]
        attribute, __, value = words.partition(f" {verb}")
        conditions.append(Condition(attribute, verb, value.strip()))
    return tuple(conditions)
