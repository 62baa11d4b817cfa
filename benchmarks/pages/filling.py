"""Very many subscriptions, events and matches, written in bulk as the live service would have left them.

The documents are those of the `auction` workload, some of them used many times; the matches are true ones,
found by a matcher, the first few of each event.
"""

import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import numpy as np
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from benchmarks.pages import messages, refusals
from lesubscribe.loadtest.setting import Setting, auction, prepare
from matching import daily_counts, registry
from matching.algorithms.columns import SubscriptionColumns
from matching.demand.keeping import DemandKeeper
from matching.drafts import drafted
from matching.models import Feed, Match, PublishedEvent, Subscription
from matching.recent import upkeep
from matching.recent.settling import Settling
from matching.services import subscribe_many
from matching.stored import restored
from matching.traffic import counting
from schema_registry.accounts.models import User

PERSON = "collector@example.org"
DAYS = 30
DOCUMENTS = 50_000  # distinct ones
MATCHES_PER_EVENT = 3
ROWS_AT_ONCE = 20_000
SEED = 0
_EVENT = """
    INSERT INTO matching_publishedevent (
        publisher_id, external_id, revision, digest, schema_version, document, title, url, image_url,
        accepted_at, matched_at, state, match_count, reason
    ) VALUES (%s, %s, 1, %s, %s, %s, %s, %s, '', %s, %s, 'matched', %s, '')"""
_MATCH = """
    INSERT INTO matching_match (event_id, subscription_id, owner_id, matched_at, number, seen, hidden)
    VALUES (%s, %s, %s, %s, %s, %s, false)"""

Tell = Callable[[str], object]


def fill(*, subscriptions: int, searches: int, events: int, tell: Tell) -> None:
    """Put there what is missing, and let maintenance do its part."""
    now = timezone.now()
    call_command("migrate", verbosity=0)
    tell("subscriptions of many people")
    setting = prepare(subscriptions=subscriptions, seed=SEED, now=now)
    tell("searches of one person")
    person = _person(searches, setting, now)
    missing = events - PublishedEvent.objects.count()
    if missing > 0:
        tell("matching")
        documents, found = _matched(setting, person, count=min(missing, DOCUMENTS))
        tell("events and matches")
        _write(setting, documents, found, count=missing, now=now, tell=tell)
    tell("messages")
    messages.fill(person, now=now)
    began = time.perf_counter()
    daily_counts.count(now=now, clock=time.monotonic)
    tell(f"daily counts: {time.perf_counter() - began:.1f} s")
    refusals.fill(person, setting.publisher, now=now)
    began = time.perf_counter()
    counting.count(Settling(), now=now, clock=time.monotonic)
    tell(f"traffic: {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    DemandKeeper().tend(now=now, clock=time.monotonic, seconds=float("inf"))
    tell(f"demand: {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    upkeep.keep(Settling(), now=now, clock=time.monotonic)
    tell(f"columns of recent events: {time.perf_counter() - began:.1f} s")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    tell(f"{PublishedEvent.objects.count():,} events, {Match.objects.count():,} matches")


def _person(searches: int, setting: Setting, now: datetime) -> User:
    person, _ = User.objects.get_or_create(email=PERSON)
    there = Subscription.objects.filter(owner=person).count()
    columns = auction(searches, SEED + 1).subscriptions(searches)
    drafts = [
        drafted(columns.text(row, setting.schema), setting.schema, name=f"Search {row}")
        for row in range(there, searches)
    ]
    subscribe_many(person, drafts, now=now)
    return person


def _matched(setting: Setting, person: User, *, count: int) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """So many documents, and for each the subscriptions it matches, a few, with their owners."""
    rows = Subscription.objects.filter(schema_version=setting.schema.version)
    owners = dict(rows.values_list("pk", "owner_id"))
    matcher = registry.create("quarantining", setting.schema)
    stored = (
        (number, restored(document, setting.schema))
        for number, document in rows.values_list("pk", "compiled").iterator()
    )
    while portion := list(islice(stored, ROWS_AT_ONCE)):
        matcher.load(SubscriptionColumns.of(portion))
    chance = np.random.default_rng(SEED)
    documents, found = [], []
    for event in setting.workload.events(count):
        numbers = chance.permutation(matcher.match_ids(event)).tolist()
        numbers.sort(key=lambda number: owners[number] != person.pk)
        documents.append(json.dumps(event.to_dict()))
        found.append([(number, owners[number]) for number in _few(numbers, owners)])
    return documents, found


def _few(numbers: list[int], owners: dict[int, int]) -> Iterator[int]:
    """One for each of a few owners."""
    taken: set[int] = set()
    for number in numbers:
        if owners[number] not in taken:
            taken.add(owners[number])
            yield number
        if len(taken) == MATCHES_PER_EVENT:
            return


def _write(
    setting: Setting,
    documents: list[str],
    found: list[list[tuple[int, int]]],
    *,
    count: int,
    now: datetime,
    tell: Tell,
) -> None:
    """So many events, the oldest first, with their matches; of each feed only the newest day is unseen."""
    run, step = secrets.token_hex(4), timedelta(days=DAYS) / count
    begin = now - timedelta(days=DAYS)
    numbers = Counter(dict(Feed.objects.values_list("owner", "last_number")))
    for first in range(0, count, ROWS_AT_ONCE):
        places = range(first, min(first + ROWS_AT_ONCE, count))
        events, pairs = [], []
        before = PublishedEvent.objects.aggregate(last=Max("pk"))["last"] or 0
        for place in places:
            at, which = _stored(begin + place * step), place % len(documents)
            events.append(_event(setting, f"{run}-{place}", documents[which], at, len(found[which])))
            for subscription, owner in found[which]:
                numbers[owner] += 1
                is_seen = (count - place) * step > timedelta(days=1)
                event = before + 1 + place - first
                pairs.append((event, subscription, owner, at, numbers[owner], is_seen))
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_EVENT, events)
            cursor.executemany(_MATCH, pairs)
            Feed.objects.bulk_create(
                [Feed(owner_id=owner, last_number=number) for owner, number in numbers.items()],
                update_conflicts=True,
                unique_fields=["owner"],
                update_fields=["last_number"],
            )
        if first % (10 * ROWS_AT_ONCE) == 0:
            tell(f"  {first:,}")


def _event(setting: Setting, name: str, document: str, at: Any, matches: int) -> tuple[Any, ...]:
    title = json.loads(document)["title"]
    url = f"https://auctions.example.org/{name}"
    version = setting.schema.version
    return setting.publisher.pk, name, name, version, document, title, url, at, at, matches


def _stored(moment: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(moment)
