"""Searches for more items like one: two or three, from narrow to wide. Pure.

What makes items alike is their kind, what they cost, and a few words that tell what they are. The narrowest
search asks for all of it, the next leaves the words out, the widest takes the next kind up in the tree
instead, or whatever price. The event type is asked for where items of several types could fit.

A suggestion is a text that parses with the schema given and matches the item: each condition is tried before
it is taken, and joining conditions about different attributes, each of which holds, gives one that holds.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import (
    Domain,
    EnumeratedDomain,
    FiniteDomain,
    HierarchicalDomain,
    NumericDomain,
    StringDomain,
    TextDomain,
)
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.core.text import words
from schema_registry.language.nice_bounds import nice_bounds
from schema_registry.language.outline import Group, Row, written
from schema_registry.language.subscription import Subscription, parse
from schema_registry.language.telling_words import telling_words

MOST = 3
MOST_WORDS = 2
_LONGEST_NAME = 40  # of a string that may stand for a kind, such as a maker
# Which attribute it is goes by its name: those that say more come first.
_KINDS = ("category", "kind", "genre", "class", "material", "maker", "artist", "brand")
_PRICES = ("price", "estimate", "bid", "cost", "prix")
_TEXTS = ("title", "name", "titre", "words")


@dataclass(frozen=True, slots=True)
class Suggestion:
    text: str
    subscription: Subscription


def suggestions(event: Event, schema: Schema) -> list[Suggestion]:
    """One to three, the narrowest first, all different. Some ms, since each is parsed.

    The schema is the event's own, or a later one.
    """
    found: dict[str, Suggestion] = {}
    for rows in _ideas(event, schema):
        text = written(Group("all", tuple(rows)))
        parsed = _parsed(text, event, schema)
        if parsed is not None:
            found.setdefault(parsed.canonical, Suggestion(text, parsed))
    return list(found.values())[:MOST]


def _ideas(event: Event, schema: Schema) -> Iterator[list[Row]]:
    """Each wider than the one before."""
    kinds = _kind_rows(event, schema)
    price = list(_first(_price_rows(event, schema), event, schema))
    telling = list(_first(_word_rows(event, schema, said=_words_of(kinds, schema)), event, schema))
    kind, wider = kinds[:1], kinds[1:2]
    for rows in (
        [*kind, *price, *telling],
        [*kind, *price] if kind else telling,
        [*wider, *price] if wider else kind,
        price,
    ):
        if rows:
            yield [*_type_rows(event, schema, rows), *rows]
    yield _type_rows(event, schema, [])


def _kind_rows(event: Event, schema: Schema) -> list[Row]:
    """What kind of thing it is, and then the same one level up."""
    for name in _named(event, schema, (HierarchicalDomain, EnumeratedDomain, StringDomain), _KINDS):
        domain, value = schema.domain_of[name], str(event.values[name][0])
        rows = list(_holding(_kinds(name, domain, value), event, schema))
        if rows:
            return rows
    return []


def _kinds(name: str, domain: Domain, value: str) -> Iterator[Row]:
    if isinstance(domain, HierarchicalDomain):
        for each in (value, *domain.above(value)[:1]):
            yield Row(name, "<=" if "<=" in domain.operators else "=", (each,))
    elif isinstance(domain, EnumeratedDomain) or 0 < len(value) <= _LONGEST_NAME:
        yield Row(name, "=" if "=" in domain.operators else "contains", (value,))


def _price_rows(event: Event, schema: Schema) -> Iterator[Row]:
    for name in _named(event, schema, (NumericDomain,), _PRICES):
        domain, value = schema.domain_of[name], event.values[name][0]
        assert isinstance(domain, NumericDomain)
        assert isinstance(value, float)
        if domain.unit is not None and (bounds := nice_bounds(value, domain)):
            yield Row(name, "between", tuple(map(domain.text, bounds)))


def _word_rows(event: Event, schema: Schema, *, said: frozenset[str]) -> Iterator[Row]:
    for name in _named(event, schema, (TextDomain,), _TEXTS):
        for text in event.texts.get(name, ()):
            if telling := telling_words(text, most=MOST_WORDS, said=said):
                yield Row(name, "contains", (" ".join(telling),))


def _type_rows(event: Event, schema: Schema, rows: Sequence[Row]) -> list[Row]:
    """Empty where only items of this type have what the rows ask for."""
    # Of several types the one that says most, as of antiques and coins the coins.
    types = sorted(event.event_types)
    chosen = max(types, key=lambda name: len(schema.event_types[name].attributes))
    others = (type_ for name, type_ in schema.event_types.items() if name != chosen)
    asked = {row.attribute for row in rows}
    is_open = not asked or any(asked <= type_.attributes.keys() for type_ in others)
    return [Row(EVENT_TYPE, "=", (chosen,))] if is_open else []


def _named(event: Event, schema: Schema, kinds: tuple[type[Domain], ...], names: Sequence[str]) -> list[str]:
    """The item's attributes with such a domain, still in use: first the kind, then those with such names."""

    def rank(name: str) -> tuple[int, int, str]:
        kind = next(place for place, kind in enumerate(kinds) if isinstance(schema.domain_of[name], kind))
        like = next((place for place, part in enumerate(names) if part in name.lower()), len(names))
        return kind, like, name

    return sorted(
        (
            name
            for name, values in event.values.items()
            if values
            and name != EVENT_TYPE
            and name not in schema.deprecated.attributes
            and isinstance(schema.domain_of.get(name), kinds)
        ),
        key=rank,
    )


def _words_of(rows: Iterable[Row], schema: Schema) -> frozenset[str]:
    """The words that people read for these kinds: in a title they say the same again."""
    said: set[str] = set()
    for row in rows:
        domain = schema.domain_of[row.attribute]
        for value in row.values:
            label = domain.label(value) if isinstance(domain, FiniteDomain) else value
            said.update(words(f"{label} {value}"))
    return frozenset(said | {word.removesuffix("s") for word in said})


def _holding(rows: Iterable[Row], event: Event, schema: Schema) -> Iterator[Row]:
    """Those that the language takes and the item fulfils."""
    return (row for row in rows if _parsed(written(Group("all", (row,))), event, schema) is not None)


def _first(rows: Iterable[Row], event: Event, schema: Schema) -> Iterator[Row]:
    for row in _holding(rows, event, schema):
        yield row
        return


def _parsed(text: str, event: Event, schema: Schema) -> Subscription | None:
    try:
        parsed = parse(text, schema)
    except SubscriptionError:
        return None
    return parsed if parsed.matches(event) else None
