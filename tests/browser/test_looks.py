"""How every page looks: accessible in light and dark, no sideways scroll, a strict policy, a quiet console.

One visit to each page as a visitor, as somebody who has searches and finds, and as somebody who has nothing
yet; then those pages that look otherwise once something was done there. A page that is in no list here makes
the last test fail.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import URLPattern, URLResolver, resolve, reverse
from playwright.sync_api import Browser, Page, Route, StorageState

from lesubscribe.urls import urlpatterns
from schema_registry.accounts.models import User
from tests.browser.content import Content
from tests.browser.looks import mail_sent, signed_up, wrong_with
from tests.browser.states import STATES, State
from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database

VISITOR = (
    *("/", "/accounts/signup/", "/accounts/login/", "/accounts/password/reset/"),
    *("/accounts/password/reset/done/", "/accounts/password/reset/key/done/", "/accounts/confirm-email/"),
    *("/accounts/inactive/", "/accounts/confirm-email/nothing/", "/accounts/password/reset/key/x-y/"),
    *("/schema", "/schema?q=look", "/schema?q=nothing-like-it", "/schema/types/{event_type}"),
    *("/schema/attributes/{text}", "/schema/attributes/{kind}", "/schema/attributes/{price}"),
    *("/schema/attributes/{old}", "/schema/attributes/{long}", "/schema/types/{long}"),
    *("/schema/domains/{tree}", "/schema/domains/{order}", "/schema/domains/{money}"),
    *("/schema/domains/{tree}?q=dining", "/schema/domains/{tree}?of={long_value}"),
    *("/schema/history", "/schema/history/{version}"),
    *("/shared/{shared}", "/shared/{shared}?found=1", "/shared/{shared_odd}?found=1"),
)
NEWCOMER = (
    *("/", "/feed", "/searches", "/searches/new", "/notifications", "/notifications/feeds"),
    *("/notifications/digest-preview", "/notifications/deliveries", "/account", "/publish"),
    "/account/security",
)
READER = (
    *NEWCOMER,
    *("/feed?unseen=1", "/feed?search={search}", "/feed?text=nothing-like-it", "/feed/items/{event}/less"),
    *("/searches?q=nothing-like-it", "/searches/{search}", "/searches/{odd_search}"),
    *("/searches/new?text=look_price+%3C%3D+200", "/searches/new?text=look_prise+%3C%3D+200"),
    *("/searches?sort=last-match", "/notifications/digest-preview?period=weekly"),
    *("/notifications/deliveries/{given_up}", "/notifications/deliveries?state=dead"),
    *("/searches/{search}/duplicate", "/searches/import"),
    *("/notifications/deliveries/{delivery}", "/notifications/channels/{channel}/change"),
    *("/notifications/channels/new/telegram", "/notifications/channels/new/signal"),
    *("/notifications/channels/{channel}/replay", "/notifications/channels/{channel}/replay?from=x&until="),
    "/notifications/channels/{channel}/replay?from=2026-01-01T00:00&until=2040-01-01T00:00",
    *("/searches/{search}/share", "/searches/{odd_search}/share", "/shared/{shared}"),
    *("/shared/{shared}/copy", "/feed/items/{event}/more", "/searches/new?like={event}"),
    *("/account/delete", "/accounts/email/", "/accounts/password/change/", "/accounts/reauthenticate/"),
    *("/accounts/logout/", "/outbox", "/outbox/{mail}"),
    *("/publish?new", "/publish/{house}", "/publish/{house}/playground", "/publish/{house}/items"),
    *("/publish/{house}/items?q=nothing-like-it", "/publish/{house}/items/{event}"),
    *("/publish/{house}/keys", "/publish/{house}/members"),
    *("/publish/{house}/traffic", "/publish/{house}/traffic?range=hour"),
    *("/publish/{house}/rejects",),
    *("/publish/{house}/schema", "/publish/{house}/schema?made={version}", "/publish/{house}/schema/domain"),
    *("/publish/{house}/schema/attribute", "/publish/{house}/schema/event-type"),
    *("/publish/{house}/schema/extension", "/publish/{house}/views", "/publish/{house}/views/new"),
    *("/publish/{house}/views/{view}", "/publish/{house}/demand"),
    *("/operations", "/operations?hours=24", "/operations/waiting", "/operations/deliveries"),
    *("/operations/parked/{event}/retry", "/operations/parked/retry?reason=none"),
    *("/operations/deliveries/{given_up}/replay", "/operations/channels/{channel}/disable"),
    *("/operations/channels/{channel}/enable", "/operations/sending/halt", "/operations/sending/resume"),
)
NOT_FOUND = (
    "/nothing-here",
    "/shared/nothing",
    "/searches/0",
    "/schema/domains/nothing",
    "/notifications/deliveries/0",
)
FAILURES = ("400.html", "403.html", "403_csrf.html", "405.html", "429.html", "500.html", "503.html")

# Routes that answer a GET and are on no list, and why.
ELSEWHERE = {
    "live-example": "a part of the landing page",
    "feed-older": "a part of the feed",
    "feed-new": "a part of the feed",
    "search-attributes": "a part of the form of a search",
    "schema-values": "a part of the page of a domain",
    "telling-bar": "a part of the page about notifications",
    "test-result": "a part of the page about notifications",
    "publish-steps": "a part of the page of a publisher's first steps",
    "operations-state": "a part of the operations page",
    "operations-samples": "a part of the operations page",
    "feed-more-counts": "a part of the form of a search",
    "searches-export": "a file",
    "account-export": "a file",
    "atom": "a feed for programs",
    "openapi": "a document for programs",
    "healthz": "an answer for programs",
    "readyz": "an answer for programs",
    "metrics": "an answer for programs",
    "api-docs": "Swagger's own page: see test_api_docs",
    "change-search": "a link in a mail: see test_notification_pages",
    "confirm-channel": "a link in a mail: see test_notification_pages",
    "mute-search": "a link in a mail: see test_notification_pages",
    "renew-search": "a link in a mail: see test_notification_pages",
    "undo": "a link in a mail: see test_notification_pages",
    "unsubscribe": "a link in a mail: see test_notification_pages",
    "account_set_password": "leads everybody who has a password to the page for changing it",
    "account_confirm_login_code": "leads to the page for signing in: we send no codes",
    "mfa_list_webauthn": "leads to the page about security, which lists passkeys",
    "mfa_download_recovery_codes": "a file",
    "mfa_login_webauthn": "a document for the script of the page for signing in, and else leads there",
    **dict.fromkeys(
        (
            *("mfa_authenticate", "mfa_reauthenticate", "mfa_reauthenticate_webauthn", "mfa_activate_totp"),
            *("mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"),
            *("mfa_add_webauthn", "mfa_edit_webauthn", "mfa_remove_webauthn"),
        ),
        "only for those who have confirmed that it is them: see test_security",
    ),
}


@pytest.fixture
def looks(system: RunningSystem, chromium: Browser) -> Iterator["Looks"]:
    context = chromium.new_context(reduced_motion="reduce")
    yield Looks(system, context.new_page())
    context.close()


class Looks:
    """Visits pages, and keeps what is wrong with any of them."""

    def __init__(self, system: RunningSystem, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        self._url = system.url
        self._said: list[str] = []
        page.on("console", lambda said: self._said.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self._said.append(str(error)))

    def visit(self, path: str, *, status: int = 200, policy: bool = True) -> None:
        self._said.clear()
        answer = self.page.goto(self._url + path)
        assert answer is not None
        if answer.status != status:
            self.wrong.append(f"{path}: {answer.status}")
            return
        if policy:
            self._check_policy(path, answer.headers.get("content-security-policy", ""))
        self.wrong += wrong_with(self.page, path)
        if status == 200:  # the browser itself complains of others
            self.wrong += [f"{path}: the console says {said}" for said in self._said]

    def _check_policy(self, path: str, policy: str) -> None:
        if "default-src 'self'" not in policy or "unsafe" in policy:
            self.wrong.append(f"{path}: the policy is {policy!r}")

    def see(self, state: State, content: Content) -> None:
        self._said.clear()
        self.page.goto(self._url + state.path.format(**content))
        state.bring_about(self.page)
        self.wrong += wrong_with(self.page, state.what)
        self.wrong += [f"{state.what}: the console says {said}" for said in self._said]


def test_the_pages_of_a_visitor(looks: Looks, content: Content) -> None:
    for path in VISITOR:
        looks.visit(path.format(**content))
    assert not looks.wrong, "\n".join(looks.wrong)


def test_the_pages_of_a_reader_with_searches_and_finds(
    looks: Looks, content: Content, system: RunningSystem, demo_session: StorageState
) -> None:
    mail = mail_sent(system, looks.page)
    looks.page.context.add_cookies(demo_session["cookies"])  # type: ignore[arg-type] # what it gave itself
    for path in READER:
        looks.visit(path.format(**content, mail=mail))
    for path in NOT_FOUND:
        looks.visit(path, status=404)
    assert not looks.wrong, "\n".join(looks.wrong)


def test_the_pages_of_somebody_who_has_nothing_yet(looks: Looks, system: RunningSystem) -> None:
    signed_up(system, looks.page, "newcomer@example.org", "nothing to see here yet")
    for path in NEWCOMER:
        looks.visit(path)
    assert not looks.wrong, "\n".join(looks.wrong)


def test_pages_on_which_something_was_done(
    looks: Looks, content: Content, demo_session: StorageState
) -> None:
    looks.page.context.add_cookies(demo_session["cookies"])  # type: ignore[arg-type] # what it gave itself
    for state in STATES:
        looks.see(state, content)
    assert not looks.wrong, "\n".join(looks.wrong)


def test_the_pages_of_failures(looks: Looks, system: RunningSystem) -> None:
    def answer(route: Route) -> None:
        page = render_to_string(route.request.url.rpartition("/")[2])
        route.fulfill(body=page, content_type="text/html")

    looks.page.route(f"{system.url}/*.html", answer)
    for name in FAILURES:
        looks.visit(f"/{name}", policy=False)
    assert not looks.wrong, "\n".join(looks.wrong)


@pytest.mark.django_db
def test_every_page_is_looked_at(client: Client) -> None:
    client.force_login(User.objects.create_superuser("staff@example.org", "a password"))
    some = dict.fromkeys((*Content.__annotations__, "mail"), "1")
    visited = {resolve(path.format(**some).split("?")[0]).url_name for path in (*VISITOR, *READER, *NEWCOMER)}
    for name, address in _routes(urlpatterns):
        if name not in visited and name not in ELSEWHERE:
            status = client.get(address).status_code
            assert status == 405, f"{name} ({address}) answers a GET, and nobody looks at it"
    assert not visited & set(ELSEWHERE)


def _routes(patterns: list[Any], above: dict[str, Any] | None = None) -> Iterator[tuple[str, str]]:
    """Name and some address of every page; the administration and the API have their own tests."""
    for pattern in patterns:
        given = {**(above or {}), **_arguments(pattern.pattern)}
        if isinstance(pattern, URLResolver):
            if not str(pattern.pattern).startswith(("admin/", "api/")):
                yield from _routes(pattern.url_patterns, given)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield pattern.name, reverse(pattern.name, kwargs=given)


def _arguments(pattern: Any) -> dict[str, Any]:
    return {name: 1 if name in pattern.converters else "x" for name in pattern.regex.groupindex}
