"""Publishers and keys in the admin: approving, suspending, quotas, issuing and revoking."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from schema_registry.accounts import services
from schema_registry.accounts.models import ApiKey, Publisher, Scope, User
from schema_registry.accounts.services import issue_key, key_of, publisher_named
from tests.integration.admin.pages import address, ask, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def publisher() -> Publisher:
    return publisher_named("Drouot", state=Publisher.State.PENDING)


@pytest.fixture
def key(publisher: Publisher) -> ApiKey:
    return issue_key(publisher.user, [Scope.EVENTS])[0]


def state_of(publisher: Publisher) -> str:
    return Publisher.objects.get(pk=publisher.pk).state


def test_a_publisher_is_made_with_a_user_nobody_can_sign_in_as(page: Client) -> None:
    entered = {"name": "Drouot", "state": "approved", "extensions_per_day": "7"}
    assert page.post(address("publisher", "add"), entered).status_code == 302
    made = Publisher.objects.get(name="Drouot")
    assert (made.state, made.extensions_per_day) == ("approved", 7)
    assert not made.user.has_usable_password()
    assert LogEntry.objects.get().get_edited_object() == made


def test_a_publisher_is_not_made_twice(page: Client, publisher: Publisher) -> None:
    entered = {"name": "Drouot", "state": "approved", "extensions_per_day": "7"}
    assert "already exists" in text(page.post(address("publisher", "add"), entered))
    publisher.refresh_from_db()
    assert (publisher.state, publisher.extensions_per_day) == ("pending", 200)


def test_approving_and_suspending_are_asked_about_and_noted(page: Client, publisher: Publisher) -> None:
    issue_key(publisher.user, [Scope.EVENTS])
    assert "It is waiting for approval now. It has 1 live key." in text(page.get(ask("approve", publisher)))
    assert state_of(publisher) == "pending"
    page.post(ask("approve", publisher), {"why": "we spoke"})
    assert state_of(publisher) == "approved"
    page.post(ask("suspend", publisher), {"why": "spam"})
    assert state_of(publisher) == "suspended"
    assert [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")] == [
        "approved. we spoke",
        "suspended. spam",
    ]


def test_the_page_of_a_publisher_offers_what_makes_sense(page: Client, publisher: Publisher) -> None:
    services.set_publisher_state(publisher, Publisher.State.APPROVED)
    content = page.get(address("publisher", "change", publisher.pk)).content.decode()
    assert "/ask/suspend/" in content
    assert "/ask/approve/" not in content


def test_several_publishers_are_approved_from_the_list(page: Client, publisher: Publisher) -> None:
    other = publisher_named("Ader", state=Publisher.State.PENDING)
    action = {"action": "approve", "_selected_action": [publisher.pk, other.pk], "index": 0}
    asked = page.post(address("publisher", "changelist"), action)
    page.post(asked["Location"])
    assert {state_of(publisher), state_of(other)} == {"approved"}


def test_the_quota_can_be_changed_and_nothing_else(page: Client, publisher: Publisher) -> None:
    where = address("publisher", "change", publisher.pk)
    entered = {"extensions_per_day": "5", "name": "Other", "state": "approved"}
    assert page.post(where, entered).status_code == 302
    publisher.refresh_from_db()
    assert (publisher.extensions_per_day, publisher.name, publisher.state) == (5, "Drouot", "pending")
    assert LogEntry.objects.get().get_change_message() == "5 extensions of the schema a day."
    assert page.post(where, {"extensions_per_day": "-1"}).status_code == 200
    assert Publisher.objects.get().extensions_per_day == 5


def test_the_page_of_a_publisher_shows_its_keys_with_their_use(
    page: Client, publisher: Publisher, key: ApiKey
) -> None:
    used, secret = issue_key(publisher.user, [Scope.SCHEMA], name="nightly feed")
    key_of(secret, now=timezone.now())
    services.revoke_key(key, now=timezone.now())
    answer = page.get(address("publisher", "change", publisher.pk))
    assert re.search(rf"{key.prefix} - events [^|]+? - revoked \w", text(answer))
    assert re.search(
        rf"{used.prefix} nightly feed schema \d+ \w+ \d{{4}}, [\d:]+ \d+ \w+ \d{{4}}, [\d:]+ Revoke",
        text(answer),
    )
    content = answer.content.decode()
    assert ask("revoke", used) in content
    assert ask("revoke", key) not in content
    assert f"{address('apikey', 'add')}?user={publisher.user_id}" in content


def test_the_secret_of_a_new_key_is_shown_once(page: Client, publisher: Publisher) -> None:
    entered = {"user": publisher.user_id, "name": "nightly feed", "scopes": ["events", "schema"]}
    answer = page.post(address("apikey", "add"), entered, follow=True)
    found = re.search(r"The key is (\S+) \. It is shown only this once\.", text(answer))
    assert found
    key = key_of(found[1], now=timezone.now() + timedelta(hours=1))
    assert key
    assert (key.user, key.name, key.scopes) == (publisher.user, "nightly feed", ["events", "schema"])
    assert found[1] not in text(page.get(address("apikey", "change", key.pk)))
    entry = LogEntry.objects.get()
    assert (entry.get_edited_object(), entry.get_change_message()) == (key, "Issued for events and schema.")
    assert found[1] not in entry.object_repr


def test_a_key_has_the_scopes_its_user_can_use(page: Client, publisher: Publisher, staff: User) -> None:
    for user, scope in ((publisher.user, "subscriptions"), (staff, "events")):
        answer = page.post(address("apikey", "add"), {"user": user.pk, "scopes": [scope]})
        assert "This user's keys can only have the scopes" in text(answer)
    assert "This field is required." in text(page.post(address("apikey", "add"), {"user": staff.pk}))
    assert not ApiKey.objects.exists()


def test_a_key_too_many_is_refused_on_the_form(
    page: Client, publisher: Publisher, key: ApiKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_LIVE_KEYS", 1)
    answer = page.post(address("apikey", "add"), {"user": publisher.user_id, "scopes": ["events"]})
    assert "has 1 live keys; revoke one first." in text(answer)
    assert ApiKey.objects.get() == key
    assert not LogEntry.objects.exists()


def test_a_key_is_revoked_after_asking(page: Client, key: ApiKey) -> None:
    assert "It was never used." in text(page.get(ask("revoke", key)))
    assert ApiKey.objects.get().revoked_at is None
    answer = page.post(ask("revoke", key), {"why": "leaked"}, follow=True)
    assert f"Revoked: {key.prefix}" in text(answer)
    assert ApiKey.objects.get().revoked_at is not None
    assert LogEntry.objects.get().get_change_message() == "Revoked. leaked"


def test_the_list_of_keys_can_be_narrowed(page: Client, publisher: Publisher, key: ApiKey) -> None:
    live, _secret = issue_key(publisher.user, [Scope.EVENTS])
    services.revoke_key(key, now=timezone.now())
    keys = address("apikey", "changelist")
    for query, found in {"?state=live": [live], "?state=revoked": [key], "": [live, key]}.items():
        assert set(page.get(keys + query).context["cl"].result_list) == set(found)
    assert "Drouot" in text(page.get(keys))


def test_a_revoked_key_cannot_be_revoked_again(page: Client, key: ApiKey) -> None:
    services.revoke_key(key, now=timezone.now())
    before = ApiKey.objects.get().revoked_at
    answer = page.get(ask("revoke", key))
    assert "It is revoked already." in text(answer)
    page.post(ask("revoke", key))
    assert ApiKey.objects.get().revoked_at == before


def test_nothing_can_be_deleted_and_keys_cannot_be_edited(page: Client, key: ApiKey) -> None:
    for row in (key, Publisher.objects.get()):
        part = str(row._meta.model_name)
        assert page.post(address(part, "delete", row.pk), {"post": "yes"}).status_code == 403
        row.refresh_from_db()
    assert page.post(address("apikey", "change", key.pk), {"name": "other"}).status_code == 403


def test_who_may_only_look_can_browse_but_not_change(client: Client, key: ApiKey) -> None:
    user = User.objects.create_user("some@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_publisher", "view_apikey"]))
    client.force_login(user)
    publisher = Publisher.objects.get()
    content = client.get(address("publisher", "change", publisher.pk)).content.decode()
    assert key.prefix in content
    assert "/ask/" not in content
    assert (
        client.post(address("publisher", "change", publisher.pk), {"extensions_per_day": 1}).status_code
        == 403
    )
    assert client.get(address("apikey", "add")).status_code == 403
    for question, row in (("approve", publisher), ("suspend", publisher), ("revoke", key)):
        assert client.post(ask(question, row)).status_code == 403
    assert state_of(publisher) == "pending"


def test_staff_without_any_right_see_nothing(client: Client, key: ApiKey) -> None:
    client.force_login(User.objects.create_user("some@example.org", is_staff=True))
    assert client.get(address("publisher", "changelist")).status_code == 403
    assert client.get(address("apikey", "changelist")).status_code == 403
