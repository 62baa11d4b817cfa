"""The time a page takes in the server, without a network: by Django's test client, middleware and all."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import redis
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rich.table import Table

from benchmarks import machine
from benchmarks.pages import administration
from benchmarks.pages.addresses import BROAD, NARROW, PAGES, Page
from benchmarks.pages.filling import PERSON
from lesubscribe import embedded_redis
from lesubscribe.loadtest.figures import Percentiles
from matching import selectors
from matching.models import Match, PublishedEvent, Subscription
from notifications.models import Delivery
from schema_registry.accounts.models import User
from schema_registry.selectors import current_schema

STAFF = "staff@example.org"
PREVIEW_DAYS = (3, 30)  # of a million events in 30 days, the last three have a hundred thousand


def measure(*, rounds: int, only: str = "") -> dict[str, Any]:
    """The figures of all pages, the slowest questions last."""
    settings.ALLOWED_HOSTS = ["testserver"]
    import_module("lesubscribe.asgi")  # sets up the process as the server's is
    person = User.objects.get(email=PERSON)
    with _redis():
        pages = [
            measured(page, person, rounds=rounds)
            for page in (*PAGES, *administration.pages())
            if only in page.name
        ]
        previews = (
            [] if only else [_preview(text, days, rounds) for text in _texts() for days in PREVIEW_DAYS]
        )
    return {
        "machine": machine.description(),
        "subscriptions": Subscription.objects.count(),
        "searches": Subscription.objects.filter(owner=person).count(),
        "events": PublishedEvent.objects.count(),
        "matches": Match.objects.count(),
        "rounds": rounds,
        "pages": pages,
        "previews": previews,
    }


def table(report: dict[str, Any]) -> Table:
    counts = ", ".join(f"{report[name]:,} {name}" for name in ("subscriptions", "events", "matches"))
    drawn = Table(title=counts)
    times = ("first_ms", "p50_ms", "p95_ms", "processor_p50_ms", "processor_p95_ms")
    for name in ("name", "queries", "bytes", *times, "most_ms"):
        drawn.add_column(name.replace("_", " "), justify="left" if name == "name" else "right")
    for row in (*report["pages"], *report["previews"]):
        figures = (f"{row[name]:,.1f}" for name in times)
        shown = (str(row[name]) for name in ("queries", "bytes"))
        style = "red" if row["p95_ms"] > row["most_ms"] else None
        drawn.add_row(row["name"], *shown, *figures, str(row["most_ms"]), style=style)
    return drawn


def measured(page: Page, person: User, *, rounds: int) -> dict[str, Any]:
    """The figures of one page, as this person sees it."""
    client, there = client_of(page, person), found_there(person)
    stopwatch = _Stopwatch()
    for _ in range(rounds + 1):
        with stopwatch.running():
            content = asked(page, client, there)
    with CaptureQueriesContext(connection) as queries:
        asked(page, client, there)
    shown = {"name": page.name, "queries": len(queries), "bytes": len(content)}
    return {**shown, **stopwatch.figures(), "most_ms": page.most_ms}


def client_of(page: Page, person: User) -> Client:
    client = Client()
    if page.seen_by != "nobody":
        user = person if page.seen_by == "person" else _staff()
        client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client


def _staff() -> User:
    staff, _ = User.objects.get_or_create(email=STAFF, defaults={"is_staff": True, "is_superuser": True})
    return staff


def asked(page: Page, client: Client, there: dict[str, Any]) -> bytes:
    """What it answers; fails if that is another page."""
    path = page.path.format(**there)
    fields = {name: value.format(**there) for name, value in page.post.items()}
    answer = client.post(path, fields) if fields else client.get(path, follow=True)
    content = answer.getvalue()
    assert answer.status_code == page.status, f"{path}: {answer.status_code}"
    assert page.says.format(**there).encode() in content, f"{path} does not say {page.says}"
    return content


def _preview(text: str, days: int, rounds: int) -> dict[str, Any]:
    stopwatch = _Stopwatch()
    for _ in range(rounds + 1):
        with stopwatch.running():
            found = selectors.previewed(text, days=days, now=timezone.now(), clock=time.monotonic)
    name = f"{text[:30]}..., {days} days: {found.count:,} of {found.looked_at:,}"
    return {"name": name, "queries": "", "bytes": "", **stopwatch.figures(), "most_ms": 500}


class _Stopwatch:
    """Wall time, and the processor's time, which other programs of the machine do not add to."""

    def __init__(self) -> None:
        self._wall: list[float] = []
        self._processor: list[float] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, processor = time.perf_counter(), time.process_time()
        yield
        self._wall.append((time.perf_counter() - wall) * 1000)
        self._processor.append((time.process_time() - processor) * 1000)

    def figures(self) -> dict[str, float]:
        """The first one apart: it fills caches."""
        wall, processor = Percentiles.of(self._wall[1:]), Percentiles.of(self._processor[1:])
        assert wall is not None
        assert processor is not None
        return {
            "first_ms": round(self._wall[0], 1),
            "p50_ms": round(wall.p50, 1),
            "p95_ms": round(wall.p95, 1),
            "processor_p50_ms": round(processor.p50, 1),
            "processor_p95_ms": round(processor.p95, 1),
        }


def found_there(person: User) -> dict[str, Any]:
    """What addresses may name: all of it of the person's newest find and message."""
    match = Match.objects.filter(owner=person).select_related("event").latest("pk")
    delivery = Delivery.objects.filter(channel__owner=person).latest("pk")
    return {
        "search": match.subscription_id,
        "match": match.pk,
        "event": match.event_id,
        "site": match.event.publisher_id,
        "delivery": delivery.pk,
        "channel": delivery.channel_id,
        "event_type": min(current_schema().event_types),
        "version": current_schema().version,
        "narrow": NARROW,
        "broad": BROAD,
    }


def _texts() -> tuple[str, ...]:
    return NARROW, BROAD


@contextmanager
def _redis() -> Iterator[None]:
    """The embedded one of this VAR, as requests expect it."""
    binary = embedded_redis.find_binary()
    embedded_redis.prepare(settings.VAR, binary)
    command = embedded_redis.command(settings.VAR, binary)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        deadline = time.monotonic() + 10
        while True:
            try:
                redis.Redis.from_url(settings.REDIS_URL).ping()
                break
            except redis.RedisError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        try:
            yield
        finally:
            server.terminate()
