"""Matches as items that people read: each once, with all the searches that found it, and why."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Protocol

from django.utils.translation import get_language

from matching.models import Match, PublishedEvent, Subscription
from matching.selectors import explainer
from notifications.core.messages import Held, Item, Reason
from notifications.core.reasons import held_in_words, part_held_in_words, search_in_words
from notifications.core.wording import LONGEST_NAME, lowest_price, one_line, price_in_words
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.known_operators import OPERATORS
from schema_registry.language import STORED, parse
from schema_registry.selectors import schema_at

PRICE = "price"
MOST_EXPLAINED = 200  # of an item's searches; the others are named. A long search takes some ms to explain
SchemaAt = Callable[[int], Schema]
PricesTold = Mapping[int, float | None]


def items_of(matches: Iterable[Match], *, prices_told: PricesTold | None = None) -> list[Item]:
    """The items of these matches, each once, with all the searches, in the order in which they come.

    The matches come with event, publisher and subscription. `prices_told` are by event what its item cost
    when it was last told. Texts are parsed once each.
    """
    by_event: dict[int, list[Match]] = defaultdict(list)
    for match in matches:
        by_event[match.event_id].append(match)
    schema = cache(schema_at)
    reason = _reasons(schema)
    told = prices_told or {}
    return [
        _item(
            found[0].event,
            schema,
            [reason(match, has_why=place < MOST_EXPLAINED) for place, match in enumerate(found)],
            price_told=told.get(event),
        )
        for event, found in by_event.items()
    ]


def items_found_by(canonical: str, schema: Schema, events: Sequence[int]) -> list[Item]:
    """These events as items of a search that nobody has stored, in this order; those that are gone are not.

    Two queries.
    """
    search = Subscription(canonical=canonical, schema_version=schema.version, name=canonical)
    found = PublishedEvent.objects.select_related("publisher").in_bulk(list(events))
    return items_of(Match(event=found[event], subscription=search) for event in events if event in found)


def _item(
    event: PublishedEvent, schema: SchemaAt, reasons: Sequence[Reason], *, price_told: float | None
) -> Item:
    domain = schema(event.schema_version).domain_of.get(PRICE)
    price = event.document.get(PRICE)
    lowest = lowest_price(price)
    has_dropped = lowest is not None and price_told is not None and lowest < price_told
    return Item(
        event=event.pk,
        external_id=event.external_id,
        revision=event.revision,
        title=event.title,
        url=event.url,
        image_url=event.image_url,
        publisher=event.publisher.name,
        attributes=event.document,
        price=price_in_words(price, domain),
        price_before=price_in_words(price_told, domain) if has_dropped else "",
        ends_at=event.ends_at,
        accepted_at=event.accepted_at,
        reasons=tuple(reasons),
    )


class ReasonOf(Protocol):
    def __call__(self, match: Match, *, has_why: bool) -> Reason: ...


def _reasons(schema: SchemaAt) -> ReasonOf:
    """What `explainer` tells, and how people say it."""
    why = explainer()

    def reason(match: Match, *, has_why: bool) -> Reason:
        subscription = match.subscription
        version = max(subscription.schema_version, match.event.schema_version)
        language = get_language()
        held = tuple(
            Held(**each, words=_predicate_words(each["predicate"], each["value"], schema(version), language))
            for each in (why(match) if has_why else ())
        )
        name = subscription.name or name_of(subscription, schema=schema)
        return Reason(subscription.pk, name, held)

    return reason


@lru_cache(maxsize=10_000)  # an item is told to many people, whose searches have much in common
def _predicate_words(text: str, value: object, schema: Schema, language: str | None) -> str:
    """In the language that is active, which is named only for the cache to keep them apart."""
    try:
        (conjunction,) = parse(text, schema, operators=OPERATORS, limits=STORED).conjunctions
    except (SubscriptionError, ValueError):  # it needs the rest of its search to make sense
        return one_line(text)
    if conjunction.operators:
        return part_held_in_words(conjunction.operators, value, OPERATORS)
    (predicate,) = conjunction.predicates
    return held_in_words(predicate, schema.domain_of[predicate.attribute], value)


def name_of(search: Subscription, *, most: int = LONGEST_NAME, schema: SchemaAt = schema_at) -> str:
    """What people call a search, on one line: its name, or else what it says."""
    said = search.name or _said(search.canonical, schema(search.schema_version), get_language())
    return one_line(said, most=most)


@lru_cache(maxsize=1_000)
def _said(canonical: str, schema: Schema, language: str | None) -> str:
    return one_line(words_of(canonical, schema))


def words_of(canonical: str, schema: Schema) -> str:
    """What a stored text says, for people; the text itself if it calls operators that are gone."""
    try:
        parsed = parse(canonical, schema, operators=OPERATORS, limits=STORED)
    except SubscriptionError:
        return canonical
    return search_in_words(parsed.expression, schema.domain_of, OPERATORS)
