"""What keeps others out of an account: its password, how often one may try, how long one stays signed in."""

import re
from datetime import datetime, timedelta

import pytest
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import Permission
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from lesubscribe.security import sessions
from schema_registry.accounts.models import User
from tests.integration.cached import forget
from tests.integration.signing_in import (
    ADDRESS,
    PASSWORD,
    browser,
    code_of,
    confirm,
    is_signed_in,
    person,
    signed_in,
    with_app,
)

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
DAY = 86_400


@pytest.fixture(autouse=True)
def nobody_has_tried_yet() -> None:
    forget()


def sign_up(password: str) -> str:
    """What the page says about the password; nothing if it was taken."""
    address = f"new-{User.objects.count()}@example.org"
    answer = browser().post("/accounts/signup/", {"email": address, "password1": password})
    return "" if answer.status_code == 302 else answer.content.decode()


def let_days_pass(client: Client, days: float) -> None:
    """In this session, since it began and since its owner last showed a password."""
    session = client.session
    session[sessions._BEGAN] -= days * DAY
    for record in session[AUTHENTICATION_METHODS_SESSION_KEY]:
        record["at"] -= days * DAY
    session.save()


class TestPasswords:
    @pytest.mark.parametrize(
        ("password", "why"),
        [
            ("short 7", "too short"),
            ("iloveyou1", "too common"),
            ("new-0@example.org", "too similar"),
            ("LeSubscribe 2026!", "would try this password first"),
            ("enchères-1", "would try this password first"),
        ],
    )
    def test_what_is_easily_guessed_is_refused(self, password: str, why: str) -> None:
        assert why in sign_up(password)
        assert not User.objects.exists()

    @pytest.mark.parametrize(
        "password", ["mmmmwwww", "clé à molette, s'il vous plaît", "7" * 63 + "q", "é" * 100]
    )
    def test_any_other_is_taken_whatever_it_is_made_of(self, password: str) -> None:
        assert sign_up(password) == ""
        assert User.objects.get().check_password(password)

    def test_it_is_taken_exactly_as_it_was_typed(self) -> None:
        reader = person()
        reader.set_password("  Spaces and " + "x" * 80)
        reader.save()
        for other in ("Spaces and " + "x" * 80, "  spaces and " + "x" * 80, "  Spaces and " + "x" * 79):
            browser_of = browser()
            browser_of.post("/accounts/login/", {"login": ADDRESS, "password": other})
            assert not is_signed_in(browser_of)
        exact = browser()
        exact.post("/accounts/login/", {"login": ADDRESS, "password": "  Spaces and " + "x" * 80})
        assert is_signed_in(exact)

    def test_thousands_of_common_ones_are_known(self) -> None:
        known = [word for word in CommonPasswordValidator().passwords if len(word) >= 8]
        assert len(known) > 3_000

    def test_a_new_one_needs_the_old_one_and_is_judged_alike(self) -> None:
        client = signed_in(person())
        for old, new in (("wrong", "a chair, too"), (PASSWORD, "iloveyou1")):
            form = {"oldpassword": old, "password1": new, "password2": new}
            client.post("/accounts/password/change/", form)
            assert User.objects.get().check_password(PASSWORD)

    def test_they_are_stored_by_a_slow_function(self) -> None:
        """Not in tests, which would take hours; so that of production is looked at."""
        from django.conf import global_settings

        assert global_settings.PASSWORD_HASHERS[0].endswith(PBKDF2PasswordHasher.__name__)
        assert PBKDF2PasswordHasher.iterations >= 600_000

    def test_fields_are_masked_and_take_what_a_password_manager_fills_in(self) -> None:
        for path, purpose in (("login", "current-password"), ("signup", "new-password")):
            page = browser().get(f"/accounts/{path}/").content.decode()
            field = page[page.index('type="password"') - 200 : page.index('type="password"') + 300]
            assert f'autocomplete="{purpose}"' in field
            assert "onpaste" not in page

    def test_they_do_not_age(self) -> None:
        long_ago = timezone.now() - timedelta(days=3_650)
        reader = person()
        User.objects.update(date_joined=long_ago, last_login=long_ago)
        assert is_signed_in(signed_in(reader))

    def test_nothing_is_asked_for_but_an_address_and_a_password(self) -> None:
        """No questions about somebody's first dog, and no hints."""
        for path, fields in (
            ("login", {"login", "password"}),
            ("signup", {"email", "password1"}),
            ("password/reset", {"email"}),
        ):
            page = browser().get(f"/accounts/{path}/").content.decode()
            asked = set(
                re.findall(r'<(?:input|select|textarea)[^>]* name="(\w+)"', page[page.index("<main") :])
            )
            passkey = {"credential"}  # filled in by the script of passkeys
            assert asked - {"csrfmiddlewaretoken", "next", "remember"} - passkey == fields

    def test_a_link_to_set_it_anew_ends_after_three_days(self, monkeypatch: pytest.MonkeyPatch) -> None:
        person()
        client = browser()
        client.post("/accounts/password/reset/", {"email": ADDRESS})
        link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", str(mail.outbox[-1].body))
        assert link
        now = datetime.now()  # noqa: DTZ005 - as Django's own clock of such links
        for days, is_taken in ((2.9, True), (3.1, False)):
            later = now + timedelta(days=days)
            monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda self, later=later: later)
            assert (client.get(link[1]).status_code == 302) is is_taken


class TestGuessing:
    def test_an_account_is_closed_to_guesses_for_a_while_wherever_they_come_from(self) -> None:
        person()
        for _guess in range(5):
            browser().post("/accounts/login/", {"login": ADDRESS, "password": "a guess"})
        client = browser()
        said = client.post("/accounts/login/", {"login": ADDRESS, "password": PASSWORD}).content.decode()
        assert "Too many failed login attempts" in said
        assert not is_signed_in(client)

    def test_a_network_that_guesses_at_many_accounts_is_closed_too(self) -> None:
        person()
        client = browser()
        for guess in range(10):
            client.post("/accounts/login/", {"login": f"{guess}@example.org", "password": "a guess"})
        answer = client.post("/accounts/login/", {"login": ADDRESS, "password": PASSWORD})
        assert answer.status_code != 302
        assert is_signed_in(signed_in(User.objects.get())), "from elsewhere it opens"

    def test_a_password_that_was_reset_is_no_way_round_the_second_step(self) -> None:
        with_app(person())
        client = browser()
        client.post("/accounts/password/reset/", {"email": ADDRESS})
        link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", str(mail.outbox[-1].body))
        assert link
        form = client.get(link[1]).headers["Location"]  # the key goes into the session
        client.post(form, {"password1": "a chair, too", "password2": "a chair, too"})
        assert User.objects.get().check_password("a chair, too")
        assert not is_signed_in(client)
        client.post("/accounts/login/", {"login": ADDRESS, "password": "a chair, too"})
        assert not is_signed_in(client)

    def test_a_code_of_an_app_opens_once(self) -> None:
        reader = person()
        key = with_app(reader)
        first, again = signed_in(reader), signed_in(reader)
        code = code_of(key)
        first.post("/accounts/2fa/authenticate/", {"code": code})
        again.post("/accounts/2fa/authenticate/", {"code": code})
        assert not is_signed_in(again)
        assert is_signed_in(first) or code != code_of(key), "unless its time was over just then"

    def test_an_address_with_an_account_and_one_without_are_answered_alike(self) -> None:
        person()
        said = [
            browser().post(f"/accounts/{path}", {"email": address, **more})
            for path, more in (("password/reset/", {}), ("signup/", {"password1": "a chair, too"}))
            for address in (ADDRESS, "nobody@example.org")
        ]
        places = [(answer.status_code, answer.headers.get("Location")) for answer in said]
        assert places[0] == places[1]
        assert places[2] == places[3]


class TestSessions:
    def test_one_ends_after_a_month_whatever_is_done_in_it(self) -> None:
        client = signed_in(person())
        let_days_pass(client, 29)
        assert is_signed_in(client)
        assert client.get("/api/v1/subscriptions").status_code == 200
        let_days_pass(client, 2)
        assert client.get("/api/v1/subscriptions").status_code in (401, 403)
        assert not is_signed_in(client)

    def test_one_in_which_nothing_happens_ends_after_two_weeks(self) -> None:
        assert signed_in(person()).session.get_expiry_age() == 14 * DAY

    def test_one_of_an_account_that_is_switched_off_opens_nothing(self) -> None:
        client = signed_in(person())
        User.objects.update(is_active=False)
        assert not is_signed_in(client)

    def test_staff_show_again_that_it_is_they_twice_a_day(self, settings: Settings) -> None:
        settings.STAFF_CONFIRM_AFTER = 12 * 3_600
        client = signed_in(person(is_staff=True, is_superuser=True))
        assert client.get("/admin/").status_code == 200
        let_days_pass(client, 0.6)
        for path in ("/admin/", "/outbox", "/operations?period=day"):
            answer = client.get(path)
            assert answer.status_code == 302
            assert answer.headers["Location"].startswith("/accounts/reauthenticate/?next=%2F")
        assert client.get("/feed").status_code == 200
        confirm(client)
        assert client.get("/admin/").status_code == 200

    def test_who_shows_nothing_that_tells_when_is_asked(self, settings: Settings) -> None:
        settings.STAFF_CONFIRM_AFTER = 12 * 3_600
        client = browser()
        client.force_login(person(is_staff=True, is_superuser=True))
        assert client.get("/admin/").status_code == 302


class TestStaffWhoMayChangePeople:
    @pytest.fixture
    def helper(self) -> Client:
        staff = User.objects.create_user("helper@example.org", is_staff=True)
        rights = Permission.objects.filter(codename__in=["view_user", "change_user", "delete_user"])
        staff.user_permissions.set(rights)
        client = browser()
        client.force_login(staff)
        return client

    def test_they_give_nobody_more_rights(self, helper: Client) -> None:
        reader = person()
        form = {"email": ADDRESS, "name": "Reader", "is_active": "on", "is_staff": "on", "is_superuser": "on"}
        assert helper.post(f"/admin/accounts/user/{reader.pk}/change/", form).status_code == 302
        reader.refresh_from_db()
        assert (reader.name, reader.is_staff, reader.is_superuser) == ("Reader", False, False)

    def test_they_change_neither_other_staff_nor_themselves(self, helper: Client) -> None:
        chief = person(is_staff=True, is_superuser=True)
        new = {"password1": "a chair, too", "password2": "a chair, too", "usable_password": "true"}
        for staff in (chief, User.objects.get(email="helper@example.org")):
            page = f"/admin/accounts/user/{staff.pk}"
            assert helper.post(f"{page}/password/", new).status_code == 403
            assert helper.post(f"{page}/change/", {"email": "mine@example.org"}).status_code == 403
            assert helper.post(f"{page}/delete/", {"post": "yes"}).status_code == 403
        assert User.objects.get(pk=chief.pk).check_password(PASSWORD)


@pytest.mark.parametrize(
    "place", ["https://elsewhere.example/", "//elsewhere.example", "\\\\elsewhere.example"]
)
def test_nobody_is_led_to_another_site(place: str) -> None:
    reader = person()
    visitor = browser()
    led = [visitor.post("/accounts/login/", {"login": ADDRESS, "password": PASSWORD, "next": place})]
    led.append(visitor.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": place}))
    led.append(visitor.post("/accounts/logout/", {"next": place}))
    new = {"email": "new@example.org", "password1": "a chair, too", "next": place}
    led.append(browser().post("/accounts/signup/", new))
    led.append(signed_in(reader).get("/accounts/login/", {"next": place}))
    assert [answer.status_code for answer in led] == [302] * len(led)
    assert not [answer["Location"] for answer in led if "elsewhere" in answer["Location"].partition("?")[0]]
