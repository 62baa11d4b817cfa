"""Secrets of every kind are sent along all ways, those that fail too, while everything is logged.

Afterwards none is in the log, in what is kept of deliveries and of what staff did, in Redis with its messages
for workers, in the metrics, or on a page that tells of a failure.
"""

import io
import logging
import logging.config
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import prometheus_client
import psycopg
import pytest
import structlog
from django.conf import settings as configured
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.db import OperationalError
from django.test import Client
from kombu.exceptions import OperationalError as OperationalErrorOfKombu
from pytest_django import Settings

from lesubscribe.celery import app
from lesubscribe.log import configure_logs
from lesubscribe.security.adapters import AccountAdapter
from matching import services
from notifications import channels, claims, links, sending, sharing
from notifications.models import Attempt, Channel
from notifications.transports.webhook import WebhookTransport
from schema_registry.accounts import authentication
from schema_registry.accounts.limits import RequestCounter
from schema_registry.accounts.models import Scope, User
from schema_registry.accounts.services import issue_key
from tests.integration.cached import forget
from tests.integration.canaries import in_redis
from tests.integration.collector import make_schema
from tests.integration.own_channels import NOW
from tests.integration.signing_in import browser, code_of, confirm, person, recovery_codes_of, with_app
from tests.integration.waiting import let_time_pass, plan
from tests.running_system import free_port
from tests.sinks import Behaviour, HttpSink, SmtpSink

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


class Said:
    """All that is logged from DEBUG on, as development and as production write it; and pages of failures."""

    def __init__(self) -> None:
        self.log = io.StringIO()
        self.pages: list[str] = []

    def handlers(self) -> Iterator[logging.Handler]:
        before = structlog.get_config()
        for as_json in (False, True):
            rules = configure_logs(as_json=as_json, level="DEBUG")
            structlog.configure(**before)  # loggers keep the processors of their first use
            made = logging.config.DictConfigurator(rules)
            handler = logging.StreamHandler(self.log)
            handler.setFormatter(made.configure_formatter(rules["formatters"]["structured"]))
            yield handler

    def keep(self, answer: Any) -> Any:
        """Without the address that was asked for: who asked knows it."""
        if answer.status_code >= 400:
            path = answer.request["PATH_INFO"]
            page = answer.content.decode()
            for each in (path, quote(path), quote(path, safe="")):
                page = page.replace(each, "")
            self.pages.append(page)
        return answer


@pytest.fixture
def said() -> Iterator[Said]:
    forget()
    said, root = Said(), logging.getLogger()
    before, level = root.handlers, root.level
    root.handlers = list(said.handlers())
    root.setLevel(logging.DEBUG)
    yield said
    root.handlers = before
    root.setLevel(level)


@pytest.fixture
def receiver(tmp_path: Path, settings: Settings) -> Iterator[HttpSink]:
    settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_hints", claims.Hints())


def canary(kind: str) -> str:
    return f"{kind}-canary-{secrets.token_hex(8)}"


def assert_kept(hidden: list[str], said: Said, *, lines: list[str]) -> None:
    """None of these is anywhere; and the log did tell of what happened, so it is not merely empty."""
    log = said.log.getvalue()
    assert [line for line in lines if line not in log] == []
    places = {
        "the log": log,
        "a page of a failure": "\n".join(said.pages),
        "what staff did": repr(list(LogEntry.objects.values())),
        "the log of deliveries": repr(list(Attempt.objects.values())),
        "the metrics": prometheus_client.generate_latest().decode(),
        "Redis": in_redis(configured.REDIS_URL),
    }
    everywhere = [configured.SECRET_KEY, *hidden]
    assert all(len(each) >= 6 for each in everywhere)
    found = [(place, each) for place, text in places.items() for each in everywhere if each in text]
    assert found == []


def test_of_signing_in(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    password, wrong, new = canary("password"), canary("wrong"), canary("new")
    reader = person()
    reader.set_password(password)
    reader.save()
    key = with_app(reader)
    codes = recovery_codes_of(reader)
    client = browser()
    said.keep(client.post("/accounts/login/", {"login": reader.email, "password": wrong}))
    said.keep(client.post("/accounts/login/", {"login": wrong, "password": wrong}))
    said.keep(client.post("/accounts/login/", {"login": reader.email, "password": password}))
    said.keep(client.post("/accounts/2fa/authenticate/", {"code": codes[-1][::-1]}))
    code = code_of(key)
    said.keep(client.post("/accounts/2fa/authenticate/", {"code": codes[0]}))
    assert client.get("/account").status_code == 200
    session, token = client.session.session_key, client.cookies["csrftoken"].value
    confirm(client, password)
    said.keep(client.get("/accounts/2fa/recovery-codes/"))
    form = {"oldpassword": password, "password1": new, "password2": new}
    said.keep(client.post("/accounts/password/change/", form))
    said.keep(client.post("/accounts/logout/"))

    def broken(self: AccountAdapter, request: Any, **credentials: Any) -> None:
        held = credentials["password"]
        raise RuntimeError(f"broke with {len(held)} characters in hand")

    monkeypatch.setattr(AccountAdapter, "authenticate", broken)
    client.raise_request_exception = False
    answer = said.keep(client.post("/accounts/login/", {"login": reader.email, "password": new}))
    assert answer.status_code == 500
    events = ["signed_in", "sign_in_failed", "password_changed", "signed_out", "characters in hand"]
    assert_kept([password, wrong, new, key, *codes, str(session), token], said, lines=events)
    assert code not in "\n".join(said.pages)


def test_of_mails_with_links(said: Said) -> None:
    reader = person()
    client = browser()
    client.post("/accounts/password/reset/", {"email": reader.email})
    client.post("/accounts/signup/", {"email": "new@example.org", "password1": canary("password")})
    found = [re.findall(r"https?://[^/]+(/accounts/\S+)", str(letter.body)) for letter in mail.outbox]
    hidden = []
    for link in {link for each in found for link in each if "/key/" in link or "confirm-email" in link}:
        hidden.append(link.rstrip("/").split("/")[-1])
        said.keep(client.get(link))
        said.keep(client.post(link))
        said.keep(client.get(f"{link}more"))
    assert len(hidden) == 2
    assert_kept(hidden, said, lines=["/accounts/password/reset/key/***", "/accounts/confirm-email/***"])


def test_of_keys_and_tickets(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    make_schema()
    reader = User.objects.create_user("reader@example.org")
    _row, key = issue_key(reader, [Scope.SUBSCRIPTIONS])
    made = services.subscribe(reader, "price <= 200", now=NOW, valid_days=30)
    unknown = f"ls_00000000_{canary('key')}"
    client = Client(raise_request_exception=False)
    for sent in (key, unknown):
        for path in ("subscriptions", "events/7", "nowhere"):
            said.keep(client.get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {sent}"}))
    renewal = f"/api/v1/subscriptions/{made.subscription.pk}/renew"
    for ticket in (made.ticket, f"{made.ticket}x"):
        said.keep(client.post(renewal, {}, content_type="application/json", headers={"X-Ticket": ticket}))

    def broken(given: str, **_more: Any) -> None:
        raise RuntimeError(f"broke with {len(given)} characters in hand")

    monkeypatch.setattr(authentication, "key_of", broken)
    sent = said.keep(client.get("/api/v1/subscriptions", headers={"Authorization": f"Bearer {key}"}))
    assert sent.status_code == 500

    def busy(given: str, **_more: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(authentication, "key_of", busy)
    sent = said.keep(client.get("/api/v1/subscriptions", headers={"Authorization": f"Bearer {key}"}))
    assert sent.status_code == 503
    lines = ["GET /api/v1/subscriptions", "renew", "characters in hand"]
    assert_kept([key, unknown.split("_")[-1], made.ticket], said, lines=lines)


def test_of_channels(said: Said, receiver: HttpSink, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = User.objects.create_user("reader@example.org")
    token = secrets.token_hex(8)
    hook = channels.add(reader, kind=Channel.Kind.WEBHOOK, address=receiver.url("/hook"), now=NOW)
    chat = channels.add(
        reader, kind=Channel.Kind.CHAT, address=f"gotify://127.0.0.1:{receiver.port}/{token}", now=NOW
    )
    Channel.objects.update(state=Channel.State.ACTIVE)
    for behaviour in (
        Behaviour(),
        Behaviour(status=401, body=f"No such token: {token}"),
        Behaviour(is_down=True),
    ):
        receiver.behave(behaviour, path="/message")
        receiver.behave(Behaviour(status=500))
        for channel in (hook, chat):
            plan(channel)
        let_time_pass()
        assert sending.deliver(seconds=600)

    def broken(self: Any, target: Any, *_args: Any, **_more: Any) -> None:
        held = (target, target.secrets)
        raise RuntimeError(f"broke with {len(held)} in hand")

    monkeypatch.setattr(WebhookTransport, "send", broken)
    plan(hook)
    let_time_pass()
    sending.deliver(seconds=600)
    assert_kept([hook.secret, token], said, lines=["delivery_failed", "broke with 2 in hand"])


def test_of_links_that_work_without_signing_in(said: Said) -> None:
    make_schema()
    reader = User.objects.create_user("reader@example.org")
    search = services.subscribe(reader, "price <= 200", now=NOW, valid_days=30).subscription
    box = channels.add(reader, kind=Channel.Kind.EMAIL, address="box@example.org", now=NOW)
    addresses = [
        links.confirm_address(box.pk, box.challenge),
        links.unsubscribe_address(box.pk, [search.pk]),
        links.change_address(box.pk, search.pk),
        links.mute_address(box.pk, search.pk),
        links.renew_address(box.pk, search.pk),
        links.atom_address(reader.pk),
        sharing.share(search, now=NOW),
    ]
    client = Client(enforce_csrf_checks=True)
    hidden = [address.rstrip("/").split("/")[-1] for address in addresses]
    for address, token in zip(addresses, hidden, strict=True):
        path = address[address.index("/", len("https://")) :]
        for sent in (path, f"{path}x", path.replace(token, token[::-1])):
            said.keep(client.get(sent))
            said.keep(client.post(sent))
    copy = client.get(f"{path}/copy")
    assert copy.status_code == 302
    said.keep(client.get(copy.headers["Location"]))
    parts = [part for token in hidden for part in token.split(":") if len(part) > 20]
    assert len(parts) >= len(hidden)
    assert_kept([*parts, box.challenge], said, lines=["/notifications/confirm/***", "next=/shared/***/copy"])


def test_of_the_services_that_we_use(said: Said, tmp_path: Path, settings: Settings) -> None:
    password = canary("password")
    nobody = f"127.0.0.1:{free_port()}"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "mailer", password
    reader = User.objects.create_user("reader@example.org")
    box = channels.add(reader, kind=Channel.Kind.EMAIL, address="box@example.org", now=NOW)
    Channel.objects.update(state=Channel.State.ACTIVE)
    with SmtpSink(tmp_path / "mails") as sink:  # it knows no passwords
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", sink.port
        plan(box)
        let_time_pass()
        assert sending.deliver(seconds=600)
    assert RequestCounter(f"redis://:{password}@{nobody}/0").count("me", limit=1) is None
    with (
        app.connection_for_write(f"redis://:{password}@{nobody}/0") as broker,
        pytest.raises(OperationalErrorOfKombu) as refused,
    ):
        broker.ensure_connection(max_retries=1, timeout=1)
    logging.getLogger("broker").warning("refused: %s", refused.value)
    with pytest.raises(psycopg.OperationalError) as refused_too:
        psycopg.connect(f"postgresql://mailer:{password}@{nobody}/none", connect_timeout=2)
    logging.getLogger("database").warning("refused: %s", refused_too.value)
    assert_kept([password], said, lines=["requests_are_not_limited", "refused"])


def test_the_address_in_the_log_is_not_what_the_sender_says(said: Said) -> None:
    forged = {"X-Forwarded-For": "198.51.100.7", "X-Real-IP": "198.51.100.7", "Forwarded": "for=198.51.100.7"}
    client = browser()
    client.get("/", headers=forged)
    assert str(client.defaults["REMOTE_ADDR"]) in said.log.getvalue()
    assert "198.51.100.7" not in said.log.getvalue()
