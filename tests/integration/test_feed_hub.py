"""Waking the streams of one process, and what a stream does by itself when nobody wakes it."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis
from django.conf import LazySettings, settings
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone
from structlog.testing import capture_logs

from lesubscribe import embedded_redis
from matching import feed_hub, feed_wakeups
from matching.feed_api import documents, is_still_allowed
from matching.feed_hub import FeedHub
from matching.feed_stream import HEARTBEAT, FeedStream, Pace, in_a_thread
from matching.feed_wakeups import CHANNEL, wake_feeds
from schema_registry.accounts.models import Scope, User
from schema_registry.accounts.services import issue_key, revoke_key
from tests.integration.test_feed import Someone, events, make_schema
from tests.integration.test_redis import running_redis

SOON = 120.0  # seconds, of a machine that has other things to do
NEVER = 1_000.0


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> FeedHub:
    monkeypatch.setattr(feed_wakeups, "_ask_again_at", float("-inf"))  # whoever found Redis away before
    return FeedHub(settings.REDIS_URL)


@pytest.fixture
def reader(transactional_db: None) -> Someone:
    make_schema()
    return Someone("reader@example.org")


def stream(
    reader: Someone,
    hub: FeedHub,
    *,
    after: int | None = 0,
    pace: Pace,
    may_listen: Callable[[], bool] = lambda: True,
) -> FeedStream:
    return FeedStream(
        reader.user, after=after, hub=hub, may_listen=may_listen, documents=documents, pace=pace
    )


def run(test: Awaitable[None]) -> None:
    """Fails when it takes too long."""

    async def in_time() -> None:
        async with asyncio.timeout(SOON):
            await test

    asyncio.run(in_time())


async def until(found: Callable[[], bool]) -> None:
    while not found():
        await asyncio.sleep(0.01)


async def until_sent(content: AsyncIterator[bytes], wanted: bytes) -> None:
    while wanted not in await anext(content):
        pass


def test_a_stream_that_is_woken_sends_what_is_new(reader: Someone, hub: FeedHub) -> None:
    async def listen() -> None:
        content = aiter(stream(reader, hub, pace=Pace(look=NEVER)))
        await until_sent(content, b"retry: 2000")
        with hub.listening(reader.user.pk) as subscribed:
            await subscribed.wait()
        await in_a_thread(lambda: reader.finds(events(1)))
        await asyncio.to_thread(lambda: wake_feeds([reader.user.pk, 10**9]))
        await until_sent(content, b"id: 1\nevent: match\ndata: {")

    run(listen())


def test_a_stream_that_nobody_wakes_looks_by_itself(reader: Someone, hub: FeedHub) -> None:
    async def listen() -> None:
        content = aiter(stream(reader, hub, pace=Pace(look=0.2)))
        await until_sent(content, b"retry: 2000")
        await in_a_thread(lambda: reader.finds(events(250)))
        for number in (1, 101, 201):
            await until_sent(content, b"id: %d\nevent: match" % number)

    run(listen())


def test_a_stream_from_now_on_tells_where_it_begins(reader: Someone, hub: FeedHub) -> None:
    async def listen() -> None:
        await in_a_thread(lambda: reader.finds(events(1_020)))
        content = aiter(stream(reader, hub, after=None, pace=Pace()))
        assert await anext(content) == b"retry: 2000\n\n"
        assert await anext(content) == b"id: 1020\n\n"

    run(listen())


def test_a_comment_is_sent_while_there_is_nothing(reader: Someone, hub: FeedHub) -> None:
    async def listen() -> None:
        content = aiter(stream(reader, hub, pace=Pace(heartbeat=0.05, look=NEVER)))
        await until_sent(content, HEARTBEAT)
        await until_sent(content, HEARTBEAT)

    run(listen())


def test_a_stream_ends_when_its_client_may_no_longer_listen(reader: Someone, hub: FeedHub) -> None:
    async def listen() -> None:
        answers = [True, False]
        pace = Pace(look=0.05, check=0.1)
        async for _ in aiter(stream(reader, hub, pace=pace, may_listen=lambda: answers.pop(0))):
            pass
        assert answers == []
        assert len(hub) == 0

    run(listen())


def test_an_answer_given_up_half_sent_frees_its_place(reader: Someone, hub: FeedHub) -> None:
    async def listen() -> None:
        given_up = stream(reader, hub, pace=Pace())
        content = aiter(given_up)
        await anext(content)
        assert len(hub) == 1
        await asyncio.to_thread(given_up.close)
        await until(lambda: len(hub) == 0)

    run(listen())


def test_all_streams_share_one_subscription_which_ends_with_the_last(hub: FeedHub) -> None:
    async def listen() -> None:
        with hub.listening(1) as first, hub.listening(1) as second, hub.listening(2) as third:
            await until(is_subscribed)
            await asyncio.gather(first.wait(), second.wait(), third.wait())
            for each in (first, second, third):
                each.clear()
            await asyncio.to_thread(lambda: wake_feeds([1, 3]))
            await asyncio.gather(first.wait(), second.wait())
            assert not third.is_set()
        await until(lambda: not is_subscribed())

    run(listen())


def test_the_subscription_ends_whenever_it_is_told_to(hub: FeedHub) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)

    async def listen() -> None:
        for _ in range(100):
            with hub.listening(1):
                await asyncio.sleep(rng.random() * 0.005)
            others = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*others, return_exceptions=True)

    run(listen())


def is_subscribed() -> bool:
    ((_, count),) = redis.Redis.from_url(settings.REDIS_URL).pubsub_numsub(CHANNEL)
    assert count <= 1
    return count == 1


def test_everybody_is_woken_when_redis_comes_back(tmp_path: Path) -> None:
    hub = FeedHub(f"unix://{embedded_redis.socket_path(tmp_path)}")

    async def listen() -> None:
        with hub.listening(1) as first, hub.listening(2) as second, ExitStack() as server:
            for _ in range(2):
                await asyncio.to_thread(server.enter_context, running_redis(tmp_path))
                await asyncio.gather(first.wait(), second.wait())
                first.clear()
                second.clear()
                await asyncio.to_thread(server.close)

    run(listen())


def test_when_all_places_are_taken_a_stream_ends_at_once(
    reader: Someone, hub: FeedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_hub, "MOST_OF_A_PROCESS", 1)

    async def listen() -> None:
        with hub.listening(10**9):
            with pytest.raises(feed_hub.TooManyOfAll):
                hub.check_room(reader.user.pk)
            assert [part async for part in aiter(stream(reader, hub, pace=Pace()))] == []

    run(listen())


def test_waking_never_fails_and_does_not_wait_for_a_redis_that_is_away(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_wakeups, "_SECONDS_LEFT_ALONE", NEVER)
    monkeypatch.setattr(feed_wakeups, "_ask_again_at", float("-inf"))  # and so it is for the tests after this
    settings.REDIS_URL = "unix:///nowhere/at/all.sock"
    feed_wakeups._client.cache_clear()
    try:
        with capture_logs() as log:
            wake_feeds([1, 2])
            wake_feeds([1, 2])
        assert [line["event"] for line in log] == ["waking_feeds_failed"], "asked once, and then left alone"
    finally:
        feed_wakeups._client.cache_clear()


@pytest.mark.django_db
def test_a_revoked_key_and_a_user_switched_off_are_noticed(rf: RequestFactory) -> None:
    user = User.objects.create_user("reader@example.org")
    key, secret = issue_key(user, [Scope.SUBSCRIPTIONS])
    other = asked_with(rf, issue_key(user, [Scope.SUBSCRIPTIONS])[1])
    request = asked_with(rf, secret)
    assert is_still_allowed(request)
    revoke_key(key, now=timezone.now())
    assert not is_still_allowed(request)
    assert is_still_allowed(other)
    User.objects.update(is_active=False)
    assert not is_still_allowed(other)


def asked_with(rf: RequestFactory, secret: str) -> HttpRequest:
    request = rf.get("/api/v1/feed/stream", headers={"Authorization": f"Bearer {secret}"})
    request.session = SessionStore()
    return request


@pytest.mark.django_db
def test_a_session_that_was_ended_is_noticed(client: Client, rf: RequestFactory) -> None:
    client.force_login(User.objects.create_user("reader@example.org"))
    request = rf.get("/api/v1/feed/stream")
    request.session = SessionStore(client.session.session_key)
    assert is_still_allowed(request)
    client.logout()
    assert not is_still_allowed(request)
