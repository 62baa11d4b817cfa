"""Keys of a publisher in its console: made, shown once, rotated, revoked, and had back."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from schema_registry.accounts import services
from schema_registry.accounts.models import ApiKey, Scope
from schema_registry.accounts.services import issue_key, key_of
from schema_registry.console import keys
from tests.integration.publishing_house import House, text

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
NEW = {"name": "shop", "scopes": ["events"]}


@pytest.fixture
def house() -> House:
    return House()


def secret_in(answer: Any) -> str:
    found = re.findall(r'value="(ls_[0-9a-f]{8}_[^"]+)"', answer.content.decode())
    assert len(found) == 1
    return str(found[0])


def works(secret: str) -> bool:
    return key_of(secret, now=timezone.now()) is not None


def test_a_new_key_is_shown_once_and_never_again(house: House, caplog: pytest.LogCaptureFixture) -> None:
    answer = house.sends("keys", **NEW)
    secret = secret_in(answer)
    assert answer.content.decode().count(secret) == 1
    assert "no-store" in answer["Cache-Control"]
    assert answer.redirect_chain == []
    key = key_of(secret, now=timezone.now())
    assert key is not None
    assert (key.user, key.name, key.scopes) == (house.publisher.user, "shop", ["events"])

    tail = secret.removeprefix(key.prefix)
    later = house.client.get(house.address("keys"))
    assert key.prefix in text(later)
    assert tail not in later.content.decode()
    assert all(tail not in str(session.get_decoded()) for session in Session.objects.all())
    assert tail not in str(later.cookies)
    assert "key_issued" in caplog.text
    assert tail not in caplog.text


def test_a_key_needs_a_scope_and_has_none_of_a_subscriber(house: House) -> None:
    assert "tick one or both" in text(house.sends("keys", name="shop"))
    assert "subscriptions is not one" in text(house.sends("keys", scopes=["subscriptions"]))
    assert not ApiKey.objects.exists()


def test_rotating_makes_a_second_key_and_leaves_the_first(house: House) -> None:
    old, first = issue_key(house.publisher.user, [Scope.EVENTS, Scope.SCHEMA], name="shop")
    key_of(first, now=timezone.now() - timedelta(hours=3))
    answer = house.sends(f"keys/{old.pk}/rotate")
    second = secret_in(answer)
    assert works(first)
    assert works(second)
    new = ApiKey.objects.latest("pk")
    assert (new.name, new.scopes, new.replaces) == ("shop", ["events", "schema"], old)
    assert "It was last used 3 h ago. Revoke it once" in text(answer)
    assert f"{new.prefix}… takes its place" in house.sees("keys")

    house.sends(f"keys/{old.pk}/revoke")
    assert not works(first)
    assert works(second)


def test_revoking_counts_at_once_and_can_be_taken_back_by_who_did_it(house: House) -> None:
    key, secret = issue_key(house.publisher.user, [Scope.EVENTS])
    answer = house.sends(f"keys/{key.pk}/revoke")
    assert "is revoked: programs that use it are refused" in text(answer)
    assert not works(secret)
    assert "works again" in text(house.sends(f"keys/{key.pk}/restore"))
    assert works(secret)
    assert "Undo" not in house.sees("keys")


def test_what_was_revoked_a_while_ago_or_by_staff_stays_so(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_staff, first = issue_key(house.publisher.user, [Scope.EVENTS])
    services.revoke_key(by_staff, now=timezone.now())
    assert "too late" in text(house.sends(f"keys/{by_staff.pk}/restore"))
    mine, second = issue_key(house.publisher.user, [Scope.EVENTS])
    house.sends(f"keys/{mine.pk}/revoke")
    monkeypatch.setattr(keys, "BACK_FOR", timedelta(0))
    assert "Undo" not in house.sees("keys")
    assert "too late" in text(house.sends(f"keys/{mine.pk}/restore"))
    assert not works(first)
    assert not works(second)


def test_there_are_so_many_live_keys_and_no_more(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_LIVE_KEYS", 1)
    key, _secret = issue_key(house.publisher.user, [Scope.EVENTS])
    assert "1 live keys, which is the most" in text(house.sends("keys", **NEW))
    assert "1 live keys, which is the most" in text(house.sends(f"keys/{key.pk}/rotate"))
    house.sends(f"keys/{key.pk}/revoke")
    house.sends("keys", **NEW)
    assert "1 live keys, which is the most" in text(house.sends(f"keys/{key.pk}/restore"))
    assert ApiKey.objects.filter(revoked_at=None).count() == 1


def test_the_key_of_another_publisher_is_not_there(house: House) -> None:
    other = House("Lindenhof Auktionen")
    theirs, secret = issue_key(other.publisher.user, [Scope.EVENTS])
    person, hers = issue_key(house.member, [Scope.SUBSCRIPTIONS])
    for key in (theirs, person):
        for action in ("rotate", "revoke", "restore"):
            assert house.client.post(house.address(f"keys/{key.pk}/{action}")).status_code == 404
    assert theirs.prefix not in house.sees("keys")
    assert works(secret)
    assert works(hers)


def test_looking_changes_nothing(house: House, client: Client) -> None:
    key, secret = issue_key(house.publisher.user, [Scope.EVENTS])
    for action in ("rotate", "revoke", "restore"):
        assert house.client.get(house.address(f"keys/{key.pk}/{action}")).status_code == 405
    assert works(secret)
    assert client.get(house.address("keys")).status_code == 302
