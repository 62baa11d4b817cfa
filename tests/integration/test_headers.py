"""Every address in production: its headers, its cookies, and what a browser is let do with the answer.

The addresses are those of the resolver, and the settings those that a start in production has.
"""

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from lesubscribe import landing
from lesubscribe.security.headers import of_bare_answers
from schema_registry.accounts.models import User
from tests.integration.cached import forget
from tests.integration.signing_in import PASSWORD, is_signed_in, person
from tests.integration.tenants import owner_of_everything, rows_of_others_models
from tests.integration.test_settings import PRODUCTION
from tests.integration.test_tenant_matrix import PARAMETER, admin_path, arguments, path_of, routes
from tests.running_system import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

HOST = PRODUCTION["ALLOWED_HOSTS"]
OF_PRODUCTION = """
import json
from lesubscribe import settings
chosen = ("SECURE_", "SESSION_COOKIE_", "CSRF_", "LANGUAGE_COOKIE_", "X_FRAME_", "ALLOWED_HOSTS", "BASE_URL")
names = [name for name in dir(settings) if name.startswith(chosen) or name.endswith("_COOKIE_NAME")]
print(json.dumps({name: getattr(settings, name) for name in names}))
"""
# Swagger UI styles its elements inline; pages with items show the pictures of other sites.
MAY_STYLE_INLINE = {"/api/docs/"}
STREAM = "/api/v1/feed/stream"  # it never ends; `test_feed_stream` reads it
GROUP = re.compile(r"\(\?P<\w+>[^)]*\)")


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def of_production(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """As a process of its own reads them."""
    environment = {"PATH": os.environ["PATH"], "VAR": str(tmp_path_factory.mktemp("var")), **PRODUCTION}
    answer = subprocess.run(
        [sys.executable, "-c", OF_PRODUCTION], cwd=ROOT, env=environment, capture_output=True, check=True
    )
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


@pytest.fixture(autouse=True)
def production(of_production: dict[str, Any], settings: Settings) -> None:
    for name, value in of_production.items():
        setattr(settings, name, value)
    settings.OUTBOX.mkdir(exist_ok=True)
    forget()


def addresses() -> list[str]:
    """One for each route, which names something that is there if it can."""
    return [each for each in map(_address, routes()) if each != STREAM]


def _address(route: str) -> str:
    if arguments(route):
        return path_of(route, 0)
    if route.startswith("admin/") and PARAMETER.search(route):
        return admin_path(route, exists=True)
    plain = GROUP.sub("1", route).replace("(?:/|$)", "/").replace("\\", "")
    return "/" + PARAMETER.sub("1", plain).translate(str.maketrans("", "", "^$"))


def browser(user: User | None = None) -> Client:
    client = Client(headers={"Host": HOST})
    if user:
        client.force_login(user)
    return client


def faults(address: str, answer: Any) -> list[str]:
    """What is wrong with the headers and cookies of an answer."""
    headers = answer.headers
    policy = directives(headers.get("Content-Security-Policy", ""))
    inline = {"'unsafe-inline'"} if address in MAY_STYLE_INLINE else set()
    cookies = [(name, morsel) for name, morsel in answer.cookies.items()]
    kind = headers.get("Content-Type", "")
    checks = {
        "hsts": headers.get("Strict-Transport-Security") == "max-age=31536000; includeSubDomains; preload",
        "nosniff": headers.get("X-Content-Type-Options") == "nosniff",
        "referrer": headers.get("Referrer-Policy") in ("same-origin", "no-referrer"),
        "opener": headers.get("Cross-Origin-Opener-Policy") == "same-origin",
        "permissions": "camera=()" in headers.get("Permissions-Policy", ""),
        "frame": headers.get("X-Frame-Options") == "DENY" and policy.get("frame-ancestors") == {"'none'"},
        "default": policy.get("default-src") == {"'self'"} and "script-src" not in policy,
        "objects and base": policy.get("object-src") == policy.get("base-uri") == {"'none'"},
        "forms": policy.get("form-action") == {"'self'"},
        "styles": policy.get("style-src", {"'self'"}) == {"'self'"} | inline,
        "other sources": not policy.keys() - KNOWN_DIRECTIVES,
        "no other site may read": "Access-Control-Allow-Origin" not in headers,
        "charset": not kind.startswith("text/") or re.search(r'charset="?utf-8', kind.lower()),
        "server": "Server" not in headers and "X-Powered-By" not in headers,
        "cookies": all(is_safe(name, morsel) for name, morsel in cookies),
    }
    return [f"{address} ({answer.status_code}): {name}" for name, is_right in checks.items() if not is_right]


KNOWN_DIRECTIVES = {
    "default-src",
    "img-src",
    "object-src",
    "base-uri",
    "form-action",
    "frame-ancestors",
    "style-src",
}


def directives(policy: str) -> dict[str, set[str]]:
    parts = [part.split() for part in policy.split(";") if part.strip()]
    return {name: set(sources) for name, *sources in parts}


def is_safe(name: str, cookie: Any) -> bool:
    """In production no other host can set or read it, no script, and no page of another site sends it."""
    is_of_this_host = name.startswith("__Host-") and cookie["path"] == "/" and not cookie["domain"]
    is_deleted = cookie["max-age"] == 0
    return bool(is_of_this_host and cookie["secure"] and cookie["samesite"] == "Lax") and bool(
        cookie["httponly"] or is_deleted
    )


def test_every_address_answers_a_visitor_with_all_headers() -> None:
    owner_of_everything()
    rows_of_others_models()
    visitor = browser()
    asked = addresses()
    assert len(asked) > 300
    found = [fault for address in asked for fault in faults(address, visitor.get(address, secure=True))]
    assert found == []


def test_every_address_answers_who_is_signed_in_with_all_headers_and_lets_nobody_keep_it() -> None:
    owner = owner_of_everything()
    rows_of_others_models()
    Authenticator.objects.update(user=User.objects.create_user("another@example.org"))  # it is a made-up one
    User.objects.filter(pk=owner.pk).update(is_staff=True, is_superuser=True)
    mine = browser(owner)
    mine.raise_request_exception = False  # some made-up rows cannot be shown; a failure has its headers, too
    found, shown = [], 0
    for address in addresses():
        answer = mine.get(address, secure=True)
        found += faults(address, answer)
        kept = answer.headers.get("Cache-Control", "")
        shown += answer.status_code == 200
        answer.getvalue()
        # The schema is everybody's: who keeps it asks each time whether it has changed.
        is_everybodys = kept == "private, no-cache" if address == "/schema" else "ETag" in answer
        if "no-store" not in kept and not is_everybodys:
            found.append(f"{address}: {kept}")
    assert shown > 150
    assert found == []


class TestAnswersThatAreNoPages:
    def test_failures_have_them_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_args: Any, **_more: Any) -> HttpResponse:
            raise RuntimeError

        monkeypatch.setattr(landing, "render", broken)
        visitor = browser()
        visitor.raise_request_exception = False
        answers = {
            500: visitor.get("/", secure=True),
            404: visitor.get("/nothing-here", secure=True),
            405: visitor.get("/language", secure=True),
            400: Client().get("/", secure=True, headers={"Host": "elsewhere.example.org"}),
        }
        strict = Client(enforce_csrf_checks=True, headers={"Host": HOST})
        answers[403] = strict.post("/accounts/login/", secure=True)
        for status, answer in answers.items():
            assert answer.status_code == status
            assert faults(f"a {status}", answer) == []

    def test_static_files_have_them_too(self) -> None:
        answer = browser().get("/static/css/lesubscribe.css", secure=True)
        assert answer.status_code == 200
        assert faults("static", answer) == []
        answer.getvalue()
        assert browser().get("/static/css/", secure=True).status_code == 404, "no list of files"

    def test_what_is_refused_before_django_sees_it_has_those_that_matter(self) -> None:
        assert dict(of_bare_answers()) == {
            b"x-content-type-options": b"nosniff",
            b"content-security-policy": b"default-src 'none'",
            b"strict-transport-security": b"max-age=31536000; includeSubDomains; preload",
        }


class TestPlainHttp:
    def test_people_are_led_to_https(self) -> None:
        answer = browser().get("/feed")
        assert (answer.status_code, answer.headers["Location"]) == (301, f"https://{HOST}/feed")

    def test_programs_are_refused_so_that_somebody_notices(self) -> None:
        answer = browser().get("/api/v1/schema", headers={"Authorization": "Bearer ls_1"})
        assert answer.status_code == 403
        assert answer.json()["type"] == "urn:lesubscribe:problem:https-needed"
        assert "replace it" in answer.json()["detail"]

    @pytest.mark.parametrize("address", ["/healthz", "/readyz"])
    def test_probes_from_inside_are_answered(self, address: str) -> None:
        assert browser().get(address).status_code in (200, 503)


class TestCookies:
    def test_all_of_them_are_seen_and_safe(self) -> None:
        reader = person()
        client = browser()
        answers = [
            client.get("/accounts/login/", secure=True),
            client.post("/accounts/login/", {"login": reader.email, "password": PASSWORD}, secure=True),
            client.post("/language", {"language": "fr"}, secure=True),
            client.post("/accounts/logout/", secure=True),
        ]
        seen = {name: cookie for answer in answers for name, cookie in answer.cookies.items()}
        names = ("sessionid", "csrftoken", "known_browser", "django_language", "messages")
        assert set(seen) == {f"__Host-{name}" for name in names}
        assert all(is_safe(name, cookie) for name, cookie in seen.items())

    def test_a_session_has_another_id_once_somebody_signs_in_and_none_after_signing_out(self) -> None:
        reader = person()
        client = browser()
        session = client.session
        session["planted"] = True
        session.save()
        before = str(session.session_key)
        client.cookies["__Host-sessionid"] = before
        client.post("/accounts/login/", {"login": reader.email, "password": PASSWORD}, secure=True)
        during = str(client.session.session_key)
        assert during != before
        client.post("/accounts/logout/", secure=True)
        client.cookies["__Host-sessionid"] = during
        assert not is_signed_in(client)


@pytest.mark.parametrize("address", ["/", "/accounts/login/", "/api/v1/schema", "/healthz"])
def test_nothing_that_was_sent_is_echoed(address: str) -> None:
    answer = browser().trace(address, secure=True, headers={"X-Secret": "canary"})
    assert answer.status_code == 405
    assert b"canary" not in answer.content


def test_the_files_of_the_repository_are_not_served() -> None:
    for path in (
        "/.git/HEAD",
        "/.env",
        "/manage.py",
        "/static/../lesubscribe/settings.py",
        "/static/%2e%2e/x",
    ):
        assert browser().get(path, secure=True).status_code == 404
    assert not (Path(ROOT) / "lesubscribe" / "static" / ".git").exists()
