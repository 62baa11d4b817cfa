"""The beginning of the demo: its houses, the schema they bring along, and what people look for.

It is one transaction, so there is all of it or nothing. The houses wait for approval until the rest of the
demo is there too, which is how an interrupted one is told from a whole one.
"""

from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from lesubscribe.demo.account import demo_user
from lesubscribe.demo.catalogue import CONTRIBUTIONS, HOUSES, Contribution
from lesubscribe.demo.searches import NEIGHBOUR_SEARCHES, SEARCHES, Search, State
from matching.drafts import drafted
from matching.services import subscribe_many
from matching.validity import expiry
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named, subscriber_named
from schema_registry.core.errors import SchemaConflict
from schema_registry.models import SchemaVersion
from schema_registry.selectors import current_schema, current_version

NEIGHBOUR_EMAIL = "neighbour@example.org"


class DemoRefusedError(Exception):
    """The demo cannot be loaded here; the message says why."""


def opened_at() -> datetime | None:
    """When the month of the demo began; None if there is no demo."""
    first = CONTRIBUTIONS[0]
    versions = SchemaVersion.objects.filter(publisher__name=first.house.name, why=first.why)
    return versions.order_by("version").values_list("created_at", flat=True).first()


def is_whole() -> bool:
    """Whether a demo that was begun was finished too."""
    return not houses().filter(state=Publisher.State.PENDING).exists()


def houses() -> QuerySet[Publisher]:
    return Publisher.objects.filter(name__in=[house.name for house in HOUSES])


def open_houses(*, at: datetime) -> None:
    """Raises DemoRefusedError when names are in the way; then nothing has changed."""
    if (taken := houses().first()) is not None:
        raise DemoRefusedError(f"The demo was not loaded: there is already a publisher '{taken}'.")
    try:
        with transaction.atomic():
            for house in HOUSES:
                publisher_named(house.name, state=Publisher.State.PENDING)
            houses().update(created_at=at)
            _extend_the_schema(at)
            _subscribe(demo_user(), SEARCHES, at)
            _subscribe(subscriber_named(NEIGHBOUR_EMAIL), NEIGHBOUR_SEARCHES, at)
    except SchemaConflict as conflict:
        why = str(conflict)
        raise DemoRefusedError(f"The demo was not loaded: {why[0].lower()}{why[1:]}") from None


def _extend_the_schema(at: datetime) -> None:
    before = current_version().version
    for contribution in CONTRIBUTIONS:
        _contribute(contribution)
    SchemaVersion.objects.filter(version__gt=before).update(created_at=at)


def _contribute(part: Contribution) -> None:
    publisher = Publisher.objects.select_related("user").get(name=part.house.name)
    author = schema_services.Author(publisher.user, publisher, part.why)
    for name, definition in part.domains.items():
        schema_services.create_domain(author, name, definition)
    for name, domain in part.attributes.items():
        schema_services.create_attribute(author, name, domain)
    for name, attributes in part.event_types.items():
        schema_services.create_event_type(author, name, attributes)
    for event_type, attribute in part.extensions:
        schema_services.extend_event_type(author, event_type, attribute)


def _subscribe(owner: User, searches: tuple[Search, ...], at: datetime) -> None:
    """All of them are matched at first; `load` pauses some in the end."""
    schema = current_schema()
    drafts = [
        replace(
            drafted(search.text, schema, name=search.name, expires_at=expiry(at, search.valid_days)),
            state=State.MUTED if search.state == State.MUTED else State.ACTIVE,
        )
        for search in searches
    ]
    subscribe_many(owner, drafts, now=at)
