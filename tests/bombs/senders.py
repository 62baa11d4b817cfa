"""Who sends the bombs: a publisher, a subscriber's program, somebody who is signed in, and nobody."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.test import Client

from matching.models import PublishedEvent, Subscription
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named, set_extensions_per_day
from schema_registry.models import SchemaVersion
from tests.bombs.arsenal import PUBLISHER, READER, SUBSCRIBER, Bomb
from tests.integration.collector import make_schema

# One of a form, as long as Django wants it.
_CSRF = "c" * 32
Senders = Mapping[str, Mapping[str, str]]


def set_stage() -> Senders:
    """The headers of each of them."""
    make_schema()
    house = publisher_named("Maison Belleroche", state=Publisher.State.APPROVED)
    set_extensions_per_day(house, 100_000)
    person = User.objects.create_user("collector@example.org")
    session = Client()
    session.force_login(person)
    cookie = f"{settings.SESSION_COOKIE_NAME}={session.cookies[settings.SESSION_COOKIE_NAME].value}"
    publisher = issue_key(house.user, [Scope.EVENTS, Scope.SCHEMA])[1]
    subscriber = issue_key(person, [Scope.SUBSCRIPTIONS])[1]
    return {
        PUBLISHER: {"Authorization": f"Bearer {publisher}"},
        SUBSCRIBER: {"Authorization": f"Bearer {subscriber}"},
        READER: {"Cookie": f"{cookie}; {settings.CSRF_COOKIE_NAME}={_CSRF}", "X-CSRFToken": _CSRF},
    }


def headers_of(bomb: Bomb, senders: Senders, body: bytes) -> dict[str, str]:
    mine = {"Content-Type": bomb.kind} if body else {}
    return {**mine, **senders.get(bomb.by, {}), **bomb.headers}


def stored() -> list[Any]:
    """What no bomb may add to."""
    return [kind._default_manager.count() for kind in (PublishedEvent, Subscription, SchemaVersion)]
