"""Keys are looked up quickly, and what changes about them counts at once."""

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from schema_registry.accounts import live_keys
from schema_registry.accounts.live_keys import live_key
from schema_registry.accounts.models import ApiKey, Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named

pytestmark = pytest.mark.django_db


@pytest.fixture
def digest() -> str:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    return issue_key(publisher.user, [Scope.EVENTS])[0].digest


def test_the_objects_of_a_key_are_kept_while_nothing_changes(
    digest: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    first = live_key(digest)
    with django_assert_num_queries(1):
        again = live_key(digest)
        assert again is not None
        assert again is first
        assert again.user.publisher.name == "Hôtel des ventes"


def test_a_revoked_key_is_gone_at_once(digest: str) -> None:
    assert live_key(digest) is not None
    ApiKey.objects.update(revoked_at=timezone.now())
    assert live_key(digest) is None


def test_the_key_of_a_user_who_is_switched_off_is_gone_at_once(digest: str) -> None:
    assert live_key(digest) is not None
    User.objects.update(is_active=False)
    assert live_key(digest) is None
    User.objects.update(is_active=True)
    assert live_key(digest) is not None


def test_every_change_of_key_user_or_publisher_is_seen_at_once(digest: str) -> None:
    live_key(digest)
    Publisher.objects.update(state=Publisher.State.SUSPENDED)
    User.objects.update(name="Another name")
    ApiKey.objects.update(scopes=[Scope.SCHEMA])
    key = live_key(digest)
    assert key is not None
    found = (key.scopes, key.user.name, key.user.publisher.state)
    assert found == (["schema"], "Another name", Publisher.State.SUSPENDED)


def test_a_person_s_key_has_no_publisher() -> None:
    person = User.objects.create_user("reader@example.org")
    key = live_key(issue_key(person, [Scope.SUBSCRIPTIONS])[0].digest)
    assert key is not None
    assert not hasattr(key.user, "publisher")


def test_only_so_many_are_kept(digest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_keys, "_MOST_KEPT", 3)
    person = User.objects.create_user("reader@example.org")
    for _ in range(8):
        assert live_key(issue_key(person, [Scope.SUBSCRIPTIONS])[0].digest) is not None
    assert len(live_keys._kept) <= 3
    assert live_key(digest) is not None
