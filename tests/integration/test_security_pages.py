"""Where one is signed in, how secrets are kept, and what staff see of both."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from lesubscribe import account_deletion, account_export, tasks
from lesubscribe.security import sealing, sessions
from schema_registry.accounts.models import User
from tests.integration.cached import forget
from tests.integration.signing_in import (
    FIREFOX,
    PASSWORD,
    SAFARI,
    browser,
    code_of,
    confirm,
    enter_code_of_app,
    is_signed_in,
    person,
    recovery_codes_of,
    sign_in,
    signed_in,
    with_app,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture(autouse=True)
def nothing_is_counted_yet() -> None:
    """How often somebody tried is counted by numbers that the next test's people have, too."""
    forget()


@pytest.fixture
def user() -> User:
    return person()


def page(client: Client) -> str:
    answer = client.get("/account/security")
    assert answer.status_code == 200
    return answer.content.decode()


def number_of(client: Client) -> int:
    key = client.session.session_key
    return int(UserSession.objects.get(session_key=key).pk)


class TestSessions:
    def test_each_browser_is_listed_by_what_one_knows_it_by(self, user: User) -> None:
        there, here = signed_in(user, SAFARI), signed_in(user, FIREFOX)
        found = sessions.signed_in(user, here=here.session.session_key)
        assert [(each.browser, each.is_here) for each in found] == [
            ("Firefox on Windows", True),
            ("Safari on macOS", False),
        ]
        said = page(here)
        assert there.defaults["REMOTE_ADDR"] in said
        assert f"/account/security/sessions/{number_of(there)}/end" in said
        assert f"/account/security/sessions/{number_of(here)}/end" not in said

    def test_ending_one_signs_out_there_and_nowhere_else(self, user: User) -> None:
        here, there, third = signed_in(user), signed_in(user, SAFARI), signed_in(user)
        done = here.post(f"/account/security/sessions/{number_of(there)}/end", follow=True)
        assert "Safari on macOS is signed out" in done.content.decode()
        assert not is_signed_in(there)
        assert is_signed_in(here)
        assert is_signed_in(third)

    def test_ending_this_one_is_signing_out(self, user: User) -> None:
        here = signed_in(user)
        assert here.post(f"/account/security/sessions/{number_of(here)}/end").headers["Location"] == "/"
        assert not is_signed_in(here)

    def test_ending_all_others_leaves_this_one(self, user: User) -> None:
        here, there, another = signed_in(user), signed_in(user), signed_in(person("other@example.org"))
        here.post("/account/security/sessions/end-others")
        assert [is_signed_in(each) for each in (here, there, another)] == [True, False, True]

    def test_anothers_is_answered_like_one_that_is_not_there(self, user: User) -> None:
        theirs = signed_in(person("other@example.org"))
        here = signed_in(user)
        for number in (number_of(theirs), 987_654):
            assert here.post(f"/account/security/sessions/{number}/end").status_code == 404
        assert is_signed_in(theirs)

    def test_a_changed_password_leaves_only_this_one(self, user: User) -> None:
        here, there = signed_in(user), signed_in(user)
        form = {"oldpassword": PASSWORD, "password1": "a chair, too", "password2": "a chair, too"}
        here.post("/accounts/password/change/", form)
        assert not is_signed_in(there)
        user.refresh_from_db()
        (left,) = sessions.signed_in(user, here=here.session.session_key)
        assert left.is_here

    def test_one_that_began_before_we_noted_them_is_noted_when_one_looks(self, user: User) -> None:
        client = browser()
        client.force_login(user)
        assert not UserSession.objects.exists()
        assert "This browser" in page(client)

    def test_that_it_was_seen_is_written_once_in_some_minutes(self, user: User) -> None:
        client = signed_in(user)
        page(client)
        long_ago = NOW - timedelta(hours=2)
        UserSession.objects.update(last_seen_at=long_ago)
        with CaptureQueriesContext(connection) as queries:
            page(client)
        assert not [query for query in queries if query["sql"].startswith(("UPDATE", "INSERT"))]
        assert UserSession.objects.get().last_seen_at == long_ago
        forget()  # as it is after those minutes
        page(client)
        assert UserSession.objects.get().last_seen_at > long_ago

    def test_the_page_takes_the_same_few_queries_however_many_there_are(self, user: User) -> None:
        client = signed_in(user)
        page(client)
        counts = []
        for _more in range(2):
            with CaptureQueriesContext(connection) as queries:
                page(client)
            counts.append(len(queries))
            for _time in range(4):
                signed_in(user)
        assert counts[0] == counts[1] <= 10

    def test_of_too_many_those_end_that_were_seen_least_lately(
        self, user: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sessions, "MOST_SESSIONS", 2)
        first, *others = [signed_in(user) for _time in range(3)]
        assert not is_signed_in(first)
        assert all(map(is_signed_in, others))

    def test_what_is_over_is_forgotten(self, user: User) -> None:
        over, lasting = signed_in(user), signed_in(user)
        Session.objects.filter(session_key=over.session.session_key).update(
            expire_date=NOW - timedelta(days=1)
        )
        tasks.forget_sessions()
        assert [row.session_key for row in UserSession.objects.all()] == [lasting.session.session_key]


class TestSecrets:
    def test_a_stolen_database_holds_no_key_and_no_code(self, user: User) -> None:
        key = with_app(user)
        codes = recovery_codes_of(user)
        stored = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
        assert key not in stored
        assert not [code for code in codes if code in stored]
        client = signed_in(user)
        enter_code_of_app(client, key)
        assert is_signed_in(client)

    def test_what_was_sealed_with_another_key_is_refused_in_words(
        self, user: User, settings: Settings
    ) -> None:
        key = with_app(user)
        old = settings.SECRET_KEY
        settings.SECRET_KEY = "another-" * 8
        client = signed_in(user)
        said = client.post("/accounts/2fa/authenticate/", {"code": code_of(key)}).content.decode()
        assert "Ask whoever runs this site" in said
        settings.SECRET_KEY_FALLBACKS = [old]
        enter_code_of_app(client, key)
        assert is_signed_in(client)

    def test_the_same_text_is_sealed_differently_each_time(self) -> None:
        assert sealing.sealed("key") != sealing.sealed("key")
        assert sealing.opened(sealing.sealed("clé")) == "clé"

    def test_nothing_is_shown_or_changed_without_confirming_first(self, user: User) -> None:
        client = signed_in(user)
        with_app(user)
        for path in (
            "totp/activate",
            "totp/deactivate",
            "webauthn/add",
            "recovery-codes",
            "recovery-codes/download",
        ):
            answer = client.get(f"/accounts/2fa/{path}/", follow=True)
            assert answer.redirect_chain[-1][0].startswith("/accounts/reauthenticate/"), path
        confirm(client)
        file = client.get("/accounts/2fa/recovery-codes/download/")
        assert file.headers["Content-Disposition"] == 'attachment; filename="recovery-codes.txt"'
        assert all(code in file.content.decode() for code in recovery_codes_of(user))


class TestAccountData:
    def test_the_export_has_where_one_is_signed_in_and_no_secret(self, user: User) -> None:
        key = with_app(user)
        signed_in(user, SAFARI)
        client = signed_in(user, SAFARI)
        enter_code_of_app(client, key)
        with zipfile.ZipFile(io.BytesIO(b"".join(account_export.exported(user, now=NOW)))) as files:
            text = files.read("account.json").decode()
        (account,) = json.loads(text)
        assert [(each["user_agent"], each["ip"]) for each in account["sessions"]] == [
            (SAFARI, client.defaults["REMOTE_ADDR"])
        ]
        assert [each["type"] for each in account["sign_in"]] == ["totp", "recovery_codes"]
        for row in Authenticator.objects.all():
            assert row.data.get("secret", row.data.get("seed")) not in text
        assert str(client.session.session_key) not in text

    def test_deleting_the_account_ends_every_session_and_forgets_every_way_in(self, user: User) -> None:
        client = signed_in(user)
        with_app(user)
        other = signed_in(person("other@example.org"))
        account_deletion.delete(user, now=NOW)
        assert not is_signed_in(client)
        assert is_signed_in(other)
        assert not Authenticator.objects.exists()
        assert UserSession.objects.get().session_key == other.session.session_key


class TestStaff:
    def test_staff_without_a_second_step_are_led_to_where_they_set_one_up(self, settings: Settings) -> None:
        settings.STAFF_NEEDS_MFA = True
        staff = person("staff@example.org", is_staff=True, is_superuser=True)
        client = signed_in(staff)
        for path in ("/admin/", "/outbox"):
            answer = client.get(path, follow=True)
            assert answer.redirect_chain == [("/account/security", 302)]
            assert "Set one up first" in answer.content.decode()
        with_app(staff)
        assert client.get("/admin/").status_code == 200

    def test_others_and_places_for_all_are_left_alone(self, settings: Settings) -> None:
        settings.STAFF_NEEDS_MFA = True
        staff = signed_in(person("staff@example.org", is_staff=True))
        assert staff.get("/searches").status_code == 200
        assert signed_in(person()).get("/admin/").status_code == 302
        assert browser().get("/admin/").headers["Location"].startswith("/admin/login/")

    def test_staff_see_no_secret_and_can_help_somebody_back_in(self, user: User) -> None:
        key = with_app(user)
        there = signed_in(user)
        enter_code_of_app(there, key)
        staff = browser()
        staff.force_login(person("staff@example.org", is_staff=True, is_superuser=True))
        row = Authenticator.objects.get(type="totp")
        shown = staff.get(f"/admin/mfa/authenticator/{row.pk}/change/").content.decode()
        assert user.email in shown
        assert row.data["secret"] not in shown
        assert staff.get("/admin/mfa/authenticator/add/").status_code == 403
        rows = Authenticator.objects.filter(user=user)
        chosen = {"action": "delete_selected", "_selected_action": [each.pk for each in rows], "post": "yes"}
        staff.post("/admin/mfa/authenticator/", chosen)
        client = browser()
        sign_in(client, user)
        assert is_signed_in(client)

    def test_deleting_a_session_signs_out_there(self, user: User) -> None:
        there = signed_in(user)
        staff = browser()
        staff.force_login(person("staff@example.org", is_staff=True, is_superuser=True))
        listed = staff.get("/admin/usersessions/usersession/", {"q": "reader@"}).content.decode()
        assert "Firefox on Windows" in listed
        staff.post(f"/admin/usersessions/usersession/{number_of(there)}/delete/", {"post": "yes"})
        assert not is_signed_in(there)
