"""A real Chromium, the system's own, driven by Playwright."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect, sync_playwright
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from lesubscribe.demo import DEMO_EMAIL
from tests.browser.chromium import FLAGS, program, sign_in
from tests.browser.content import Content, filled
from tests.browser.looks import signed_in_by_cookie
from tests.integration.collector import Collector
from tests.running_system import RunningSystem

# Pytest-django refuses database access from a thread with a running loop, and Playwright's sync API runs one.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# Milliseconds. Other suites run beside this one, and the machine may stall for seconds: much patience costs
# nothing where it is not needed.
TO_ACT, TO_LOAD, TO_SHOW = 60_000, 120_000, 60_000
expect.set_options(timeout=TO_SHOW)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if (found := program()) is None:
        pytest.skip("no chromium on PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS, timeout=TO_LOAD)
        browser.on("context", be_patient)
        yield browser
        browser.close()


def be_patient(context: BrowserContext) -> None:
    context.set_default_timeout(TO_ACT)
    context.set_default_navigation_timeout(TO_LOAD)


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page in a fresh profile; an error on its console, a blocked script for one, fails the test."""
    context = chromium.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


@pytest.fixture
def collector(live_server: LiveServer, settings: Settings) -> Collector:
    """Somebody with an e-mail channel, on a server that shares the test's database."""
    settings.BASE_URL = live_server.url
    settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
    return Collector()


@pytest.fixture
def reader(page: Page, live_server: LiveServer, collector: Collector) -> Page:
    """A page on which the collector is signed in."""
    signed_in_by_cookie(page.context, live_server.url, collector.user)
    return page


@pytest.fixture(scope="session")
def demo_session(system: RunningSystem, chromium: Browser) -> StorageState:
    """What a browser keeps in which the demo login, which is staff, has signed in to the running system."""
    context = chromium.new_context()
    sign_in(system, context.new_page(), DEMO_EMAIL, system.demo_password())
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="session")
def content(system: RunningSystem) -> Content:
    """The demo login has something of everything."""
    return filled(system, DEMO_EMAIL)


@pytest.fixture
def demo_page(page: Page, demo_session: StorageState) -> Page:
    """A page on which the demo login is signed in to the running system."""
    page.context.add_cookies(demo_session["cookies"])  # type: ignore[arg-type] # what it gave itself
    return page
