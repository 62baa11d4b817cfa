"""Somebody with searches and an e-mail channel, for whom items are found and told without matching them."""

from datetime import UTC, datetime
from typing import Any

from matching import services
from matching.models import Match, PublishedEvent, Subscription
from notifications.models import Channel, Delivery, Entry
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema
from tests.integration.made_once import made_once

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
BY_STAFF = schema_services.Author(None)
DOMAINS: dict[str, dict[str, Any]] = {
    "money": {"kind": "numeric", "min": 0, "unit": "EUR"},
    "furniture": {
        "kind": "hierarchical",
        "values": {"furniture": None, "table": "furniture", "dining-table": "table"},
        "labels": {"table": "Tables", "dining-table": "Dining table"},
    },
    "words": {"kind": "text"},
    "name": {"kind": "string"},
}
ATTRIBUTES = {"price": "money", "category": "furniture", "title": "words", "material": "name"}


class Collector:
    def __init__(self, address: str = "collector@example.org") -> None:
        make_schema()
        self.user = User.objects.create_user(address)
        self.channel = self.adds_channel(address)
        self._told = 0

    def adds_channel(self, address: str, kind: str = Channel.Kind.EMAIL) -> Channel:
        return Channel.objects.create(
            owner=self.user,
            kind=kind,
            address=address,
            state=Channel.State.ACTIVE,
            secret="whsec_c2VjcmV0",
            challenge="challenge",
            created_at=NOW,
            verified_at=NOW,
        )

    def searches(
        self, text: str = "price <= 200", *, name: str = "", days: int | None = None
    ) -> Subscription:
        return services.subscribe(self.user, text, name=name, now=NOW, valid_days=days).subscription

    def is_told(
        self,
        *found: tuple[PublishedEvent, Subscription],
        kind: str = Delivery.Kind.MATCH,
        overflow: bool = False,
        state: str = Delivery.State.WAITING,
        attempts: int = 0,
    ) -> Delivery:
        """A delivery of these matches, as the planner writes it."""
        self._told += 1
        delivery = Delivery.objects.create(
            channel=self.channel,
            key=f"{kind}:{self._told}",
            kind=kind,
            event=found[0][0] if kind == Delivery.Kind.MATCH else None,
            planned_at=NOW,
            next_attempt_at=NOW,
            state=state,
            attempts=attempts,
        )
        for event, search in found:
            Entry.objects.create(
                delivery=delivery,
                channel=self.channel,
                match=match(event, search),
                is_overflow=overflow,
                is_told=state == Delivery.State.DELIVERED,
            )
        return delivery


@made_once
def make_schema() -> None:
    for name, definition in DOMAINS.items():
        schema_services.create_domain(BY_STAFF, name, definition)
    for name, domain in ATTRIBUTES.items():
        schema_services.create_attribute(BY_STAFF, name, domain)
    marks = {"price": ["optional", "multiple"], "category": ["optional", "unique"]}
    marks |= {"title": ["optional", "unique"], "material": ["optional", "multiple"]}
    schema_services.create_event_type(BY_STAFF, "lot", marks)


def match(event: PublishedEvent, search: Subscription) -> Match:
    return Match.objects.create(event=event, subscription=search, owner_id=search.owner_id, matched_at=NOW)


def item(
    name: str = "lot 7",
    *,
    price: Any = 180,
    revision: int = 1,
    house: str = "Maison Belleroche",
    **fields: Any,
) -> PublishedEvent:
    """An item that was published and matched."""
    document = {"event_type": ["lot"], **fields.pop("attributes", {})}
    return PublishedEvent.objects.create(
        publisher=publisher_named(house, state=Publisher.State.APPROVED),
        external_id=name,
        revision=revision,
        schema_version=current_schema().version,
        document=document if price is None else {**document, "price": price},
        accepted_at=NOW,
        **{
            "state": PublishedEvent.State.MATCHED,
            "title": "Oak dining table",
            "url": "https://belleroche.example/lots/7",
            "image_url": "https://belleroche.example/lots/7.jpg",
            **fields,
        },
    )
