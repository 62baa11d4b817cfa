"""Mails about an account: who signed in, and what was changed."""

import re

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from pytest_django import Settings

from schema_registry.accounts.models import User
from tests.integration.cached import forget
from tests.integration.signing_in import (
    ADDRESS,
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
from tests.running_system import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
NEW_BROWSER = "Somebody signed in to your Le Subscribe account"


@pytest.fixture(autouse=True)
def nothing_is_counted_yet() -> None:
    """How often somebody tried is counted by numbers that the next test's people have, too."""
    forget()


@pytest.fixture
def user() -> User:
    return person()


@pytest.fixture
def reader(user: User) -> Client:
    """Where somebody is signed in who has nothing new to hear."""
    client = signed_in(user)
    mail.outbox.clear()
    return client


def subjects() -> list[str]:
    return [str(letter.subject) for letter in mail.outbox]


class TestSigningIn:
    def test_the_first_time_of_all_is_not_told(self, user: User) -> None:
        signed_in(user)
        assert subjects() == []

    def test_not_even_when_one_has_just_signed_up(self) -> None:
        client = browser()
        client.post("/accounts/signup/", {"email": "new@example.org", "password1": PASSWORD})
        link = re.search(r"(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
        assert link
        client.post(link[1])
        assert is_signed_in(client)
        assert NEW_BROWSER not in subjects()
        client.post("/accounts/logout/")
        sign_in(client, User.objects.get(email="new@example.org"))
        assert NEW_BROWSER not in subjects()

    def test_a_browser_that_was_here_before_is_not_told(self, reader: Client, user: User) -> None:
        reader.post("/accounts/logout/")
        sign_in(reader, user)
        assert subjects() == []

    @pytest.mark.usefixtures("reader")
    def test_a_new_one_is_with_all_that_one_needs_to_judge_and_to_act(
        self, user: User, settings: Settings
    ) -> None:
        stranger = signed_in(user, SAFARI)
        (letter,) = mail.outbox
        assert (letter.to, letter.subject) == ([ADDRESS], NEW_BROWSER)
        said = str(letter.body)
        assert "With: Safari on macOS" in said
        assert f"From the address: {stranger.defaults['REMOTE_ADDR']}" in said
        assert re.search(r"When: \w+ \d+ \w+ \d{4}, \d\d:\d\d UTC", said)
        assert f"{settings.BASE_URL}/account/security" in said
        assert f"{settings.BASE_URL}/accounts/password/change/" in said

    @pytest.mark.usefixtures("reader")
    def test_what_one_browser_knows_says_nothing_of_another_account(self, user: User) -> None:
        client = signed_in(user)
        other = person("other@example.org")
        signed_in(other)
        mail.outbox.clear()
        client.post("/accounts/logout/")
        sign_in(client, other)
        assert subjects() == [NEW_BROWSER]
        client.post("/accounts/logout/")
        sign_in(client, user)
        assert subjects() == [NEW_BROWSER]

    @pytest.mark.usefixtures("reader")
    def test_a_forged_mark_makes_no_browser_known(self, user: User) -> None:
        client = browser()
        client.cookies[settings.KNOWN_BROWSER_COOKIE_NAME] = "WyJ4Il0:1abcde:forged"
        sign_in(client, user)
        assert subjects() == [NEW_BROWSER]

    def test_the_mark_is_out_of_reach_of_scripts_and_names_nobody(self, user: User) -> None:
        cookie = signed_in(user).cookies[settings.KNOWN_BROWSER_COOKIE_NAME]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"
        assert ADDRESS not in cookie.value

    @pytest.mark.usefixtures("reader")
    def test_once_the_password_is_changed_every_browser_is_new(self, user: User) -> None:
        stranger = signed_in(user)
        user.set_password("another one")
        user.save(update_fields=["password"])
        mail.outbox.clear()
        stranger.post("/accounts/logout/")
        sign_in(stranger, user, "another one")
        assert subjects() == [NEW_BROWSER]

    @pytest.mark.usefixtures("reader")
    def test_nobody_fills_a_letterbox_by_signing_in(self, user: User) -> None:
        for _time in range(12):
            signed_in(user)
        assert len(subjects()) == 10

    @pytest.mark.usefixtures("reader")
    def test_a_mail_server_that_is_away_keeps_nobody_out(self, user: User, settings: Settings) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
        assert is_signed_in(signed_in(user))


class TestChanges:
    def test_a_changed_password_is_told_with_the_way_back(self, reader: Client) -> None:
        form = {"oldpassword": PASSWORD, "password1": "a chair, too", "password2": "a chair, too"}
        reader.post("/accounts/password/change/", form)
        (letter,) = mail.outbox
        assert letter.subject == "Your Le Subscribe password was changed"
        assert "/accounts/password/reset/" in str(letter.body)

    @pytest.mark.django_db(transaction=True)  # it is told once it is committed
    def test_an_app_that_is_set_up_or_switched_off_is_told(self, reader: Client) -> None:
        confirm(reader)
        for _attempt in range(2):
            key = re.search(
                r'id="app-key"[^>]*>(\w+)<', reader.get("/accounts/2fa/totp/activate/").content.decode()
            )
            assert key
            answer = reader.post("/accounts/2fa/totp/activate/", {"code": code_of(key[1])})
            if answer.status_code == 302:
                break
        assert answer.headers["Location"] == "/accounts/2fa/recovery-codes/"
        reader.post("/accounts/2fa/totp/deactivate/")
        assert subjects() == [
            "An authenticator app was set up for Le Subscribe",
            "The authenticator app was switched off for Le Subscribe",
        ]

    def test_a_recovery_code_opens_once_and_each_use_is_told(self, user: User, reader: Client) -> None:
        with_app(user)
        code = recovery_codes_of(user)[0]
        reader.post("/accounts/logout/")
        sign_in(reader, user)
        assert not is_signed_in(reader)
        reader.post("/accounts/2fa/authenticate/", {"code": code})
        assert is_signed_in(reader)
        (letter,) = mail.outbox
        assert letter.subject == "A recovery code was used for your Le Subscribe account"
        assert "9 are left" in str(letter.body)
        reader.post("/accounts/logout/")
        sign_in(reader, user)
        assert (
            "This code is not right"
            in reader.post("/accounts/2fa/authenticate/", {"code": code}).content.decode()
        )

    def test_a_code_of_the_app_opens_and_is_not_told(self, user: User, reader: Client) -> None:
        key = with_app(user)
        reader.post("/accounts/logout/")
        sign_in(reader, user)
        enter_code_of_app(reader, key)
        assert is_signed_in(reader)
        assert subjects() == []

    def test_guessing_codes_is_stopped(self, user: User) -> None:
        key = with_app(user)
        client = signed_in(user)
        wrong = "000000" if code_of(key) != "000000" else "000001"
        for _guess in range(6):
            said = client.post("/accounts/2fa/authenticate/", {"code": wrong}).content.decode()
        assert "Too many failed login attempts" in said
        client.post("/accounts/2fa/authenticate/", {"code": code_of(key)})
        assert not is_signed_in(client)

    def test_with_a_second_step_no_address_is_added_and_one_is_told_what_to_do(
        self, user: User, reader: Client
    ) -> None:
        with_app(user)
        confirm(reader)
        said = reader.post(
            "/accounts/email/", {"action_add": "", "email": "more@example.org"}
        ).content.decode()
        assert "Switch the second step off under Security" in said.replace("\n", " ")
