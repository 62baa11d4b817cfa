"""Somebody who owns one thing of each kind, and the strangers who try to get at it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)

from matching.models import Match, NightlyRun, PublishedEvent, SiteMapping, Subscription
from notifications.models import (
    Channel,
    Delivery,
    MailEvent,
    Preferences,
    Replay,
    SendingSwitch,
    SharedSearch,
    Terms,
)
from schema_registry import services as schema_services
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import ApiKey, Invitation, Membership, Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named
from schema_registry.models import EventView
from schema_registry.selectors import current_schema
from tests.integration.collector import make_schema

# Numbers that occur in no page by chance, so that they can be struck out of what is compared.
NUMBER, GONE, MISSING = 76_543_21, 76_543_22, 76_543_29
EARLIER = 76_543_11  # than all that there is
MARK = "kept-by-its-owner"  # in all that nobody else may read


@dataclass(frozen=True, slots=True)
class Caller:
    """`own` is a search of theirs, where they can have one."""

    name: str
    client: Client
    own: int = MISSING


def owner_of_everything() -> User:
    """Everything that an address can name, under `NUMBER`; `GONE` is a search that was removed, and an event
    that was set aside."""
    make_schema()
    owner = User.objects.create_user("owner@example.org")
    now = timezone.now()
    house = _house_of(owner)
    kept = _search_of(owner, MARK, pk=NUMBER)
    _search_of(owner, MARK, pk=GONE, state="removed")
    item: dict[str, Any] = {
        "publisher": house,
        "revision": 1,
        "schema_version": current_schema().version,
        "document": {"event_type": ["lot"], "price": 180},
        "accepted_at": now,
    }
    event = PublishedEvent.objects.create(pk=NUMBER, external_id=MARK, state="matched", **item)
    PublishedEvent.objects.create(pk=GONE, external_id=f"{MARK}-2", state="parked", reason=MARK, **item)
    match = {"event": event, "subscription": kept, "owner": owner, "matched_at": now}
    Match.objects.create(pk=NUMBER, number=1, **match)
    channel = Channel.objects.create(
        pk=NUMBER,
        owner=owner,
        kind=Channel.Kind.WEBHOOK,  # it can do all that a channel can
        address=f"https://hooks.example.org/{MARK}",
        state=Channel.State.ACTIVE,
        secret=f"whsec_{MARK}",
        challenge=MARK,
        created_at=now,
        verified_at=now,
    )
    Delivery.objects.create(
        pk=NUMBER,
        channel=channel,
        key="test:1",
        kind=Delivery.Kind.TEST,
        state=Delivery.State.DELIVERED,
        planned_at=now,
        next_attempt_at=now,
        finished_at=now,
    )
    Replay.objects.create(
        channel=channel, since=now, until=now, last=1, up_to=1, total=1, asked_at=now, finished_at=now
    )
    Terms.objects.create(subscription=kept)
    SharedSearch.objects.create(subscription=kept, nonce=MARK, created_at=now)
    Preferences.objects.create(owner=owner)
    Authenticator.objects.create(
        pk=NUMBER, user=owner, type="webauthn", data={"name": MARK, "credential": {}}
    )
    UserSession.objects.create(pk=NUMBER, user=owner, ip="192.0.2.1", user_agent=MARK, session_key=MARK)
    return owner


def _search_of(owner: User, name: str, **more: Any) -> Subscription:
    return Subscription.objects.create(
        owner=owner,
        name=name,
        text="price <= 200",
        canonical="price <= 200",
        compiled=[[["price", "<=", [200], False]]],
        schema_version=current_schema().version,
        created_at=timezone.now(),
        ticket_digest=str(Subscription.objects.count()),
        **more,
    )


def _house_of(owner: User) -> Publisher:
    """A publisher the owner looks after, with a key, a view, an invitation; another invites the owner."""
    made = publisher_named("Maison Belleroche", state=Publisher.State.APPROVED)
    Publisher.objects.filter(pk=made.pk).update(id=NUMBER)
    house, now = Publisher.objects.get(pk=NUMBER), timezone.now()
    add_member(house, owner)
    ApiKey.objects.create(pk=NUMBER, user=house.user, name=MARK, prefix="ls_", digest="1", scopes=["events"])
    Invitation.objects.create(pk=NUMBER, publisher=house, email=f"{MARK}@example.org", invited_at=now)
    other = publisher_named(f"Galerie {MARK}", state=Publisher.State.APPROVED)
    Invitation.objects.create(pk=GONE, publisher=other, email=owner.email, invited_at=now)
    view = schema_services.create_view(house, MARK, ["lot"], ["price"])
    EventView.objects.filter(pk=view.pk).update(id=NUMBER)
    return house


def rows_of_others_models() -> None:
    """A row of whatever else the administration shows."""
    EmailAddress.objects.create(user=User.objects.get(email="owner@example.org"), email=f"{MARK}@example.org")
    Group.objects.create(name=MARK)
    SendingSwitch.objects.create(pk=1)
    MailEvent.objects.create(
        key=MARK, address=f"{MARK}@example.org", kind="complaint", happened_at=timezone.now()
    )
    house = Publisher.objects.get(name="Maison Belleroche")
    issue_key(house.user, [Scope.EVENTS], name=MARK)
    mapping = SiteMapping.objects.create(
        site=MARK, version=1, publisher=house, document={}, created_at=timezone.now()
    )
    NightlyRun.objects.create(site=MARK, date=timezone.now().date(), mapping=mapping, began_at=timezone.now())
    every = IntervalSchedule.objects.create(every=1, period="days")
    PeriodicTask.objects.create(name=MARK, task=MARK, interval=every)
    ClockedSchedule.objects.create(clocked_time=timezone.now() + timedelta(days=1))
    CrontabSchedule.objects.create()
    SolarSchedule.objects.create(event="sunrise", latitude=1, longitude=1)


def strangers() -> list[Caller]:
    """Everybody else: nobody, another person, another publisher, and staff who may do nothing."""
    person = User.objects.create_user("stranger@example.org")
    staff = User.objects.create_user("staff@example.org", is_staff=True)
    other = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    _key, secret = issue_key(other.user, [Scope.EVENTS, Scope.SCHEMA])
    publisher = Client(headers={"Authorization": f"Bearer {secret}"})
    return [
        Caller("anonymous", Client()),
        Caller("another person", client_of(person), own=_search_of(person, "my own").pk),
        Caller("another publisher", publisher),
        Caller("staff without rights", client_of(staff), own=_search_of(staff, "my own").pk),
    ]


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def belongings() -> list[Any]:
    """All that the strangers must leave as it is."""
    kept: list[Any] = [Subscription, Channel, Delivery, Replay, PublishedEvent, Match, Terms, Preferences]
    kept += [Membership, Invitation, EventView, Authenticator, SharedSearch]
    keys = list(ApiKey.objects.filter(name=MARK).values())  # the use of a stranger's own is noted
    sessions = list(UserSession.objects.filter(pk=NUMBER).values())  # and they have some of their own
    return [*(list(kind.objects.order_by("pk").values()) for kind in kept), keys, sessions]
