"""The system's own Chromium, and signing in with it. Knows no Django, so that scripts can use it too."""

import shutil

from playwright.sync_api import Page

from tests.running_system import RunningSystem

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


# The first is the same browser without a window, and takes a fifth of the processor time for a fresh profile.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def program() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def sign_in(system: RunningSystem, page: Page, address: str, password: str) -> None:
    page.goto(f"{system.url}/accounts/login/")
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(f"{system.url}/feed")
