"""A query that was compiled once answers as the ORM does, whatever it is given."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models import BigIntegerField, DateTimeField, Q, QuerySet

from notifications.models import Channel
from notifications.prepared import Given, Prepared
from schema_registry.accounts.models import User
from tests.integration.collector import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def owners() -> list[User]:
    """Each with three channels, of consecutive days."""
    people = [User.objects.create_user(f"{name}@example.org") for name in ("one", "two")]
    for owner in people:
        for days, name in enumerate(("a", "b", "o%s")):
            Channel.objects.create(
                owner=owner,
                kind=Channel.Kind.EMAIL,
                address=f"{name}-{owner.email}",
                state=Channel.State.ACTIVE,
                created_at=NOW + timedelta(days=days),
            )
    return people


def made(until: datetime | Given, owner: int | Given) -> QuerySet[Channel, Any]:
    """With constants before, between and behind what is given."""
    wanted = Q(state=Channel.State.ACTIVE) & (Q(created_at__lte=until) | Q(address__startswith="o%s"))
    chosen = Channel.objects.filter(wanted, owner=owner, kind=Channel.Kind.EMAIL)
    return chosen.order_by("pk").values_list("pk", "address")


def test_it_answers_as_the_orm_does(owners: list[User]) -> None:
    prepared = Prepared(lambda: made(Given("until", DateTimeField()), Given("owner", BigIntegerField())))
    lengths = []
    for owner in owners:
        for days in (-1, 0, 1):
            until = NOW + timedelta(days=days)
            rows = prepared.rows(until=until, owner=owner.pk)
            assert rows == list(made(until, owner.pk))
            lengths.append(len(rows))
    assert lengths == [1, 2, 3] * 2


def test_it_is_compiled_once(owners: list[User]) -> None:
    compiled = []

    def query() -> QuerySet[Channel, Any]:
        compiled.append(1)
        mine = Channel.objects.filter(owner=Given("owner", BigIntegerField()))
        return mine.order_by("pk").values_list("owner__email")

    prepared = Prepared(query)
    for owner in owners:
        assert prepared.rows(owner=owner.pk) == [(owner.email,)] * 3
    assert len(compiled) == 1
