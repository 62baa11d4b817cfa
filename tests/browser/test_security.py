"""Keeping an account safe: passkeys, an app with its codes, where one is signed in; each page looked at."""

import email
import email.policy
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.browser.chromium import sign_in
from tests.browser.looks import check_look, signed_up
from tests.integration.signing_in import FIREFOX, code_of
from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database
PASSWORD = "a table of oak, please"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


class Device:
    """A device that keeps passkeys, and knows its owner or not."""

    def __init__(self, page: Page) -> None:
        self._browser: CDPSession = page.context.new_cdp_session(page)
        self._browser.send("WebAuthn.enable")
        made = self._browser.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
        self._number = made["authenticatorId"]

    def knows_its_owner(self, is_so: bool) -> None:
        state = {"authenticatorId": self._number, "isUserVerified": is_so}
        self._browser.send("WebAuthn.setUserVerified", state)


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(words)


def confirm_by_password(page: Page) -> None:
    heading(page, "Is it you?")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def sign_out(page: Page) -> None:
    page.get_by_text("Account", exact=True).click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_text("You are signed out")).to_be_visible()


def enter_password(system: RunningSystem, page: Page, address: str) -> None:
    page.goto(f"{system.url}/accounts/login/")
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def enter_code_of_app(page: Page, key: str, button: str) -> None:
    """Again if the app showed the next one just then, but not so often that it is too often."""
    before = page.url
    for _attempt in range(4):
        page.get_by_label("Code").fill(code_of(key))
        with page.expect_navigation():
            page.get_by_role("button", name=button, exact=True).click()
        if page.url != before:
            return


def test_a_passkey_is_made_signs_in_alone_is_a_second_step_and_is_removed(
    system: RunningSystem, page: Page
) -> None:
    address = "passkeys@example.org"
    signed_up(system, page, address, PASSWORD)
    device = Device(page)
    page.goto(f"{system.url}/account")
    page.get_by_role("link", name="Security", exact=True).last.click()
    heading(page, "Security")
    page.get_by_role("link", name="Add a passkey").click()
    confirm_by_password(page)
    heading(page, "Add a passkey")
    check_look(page, "adding a passkey")
    page.get_by_label("What you call it").fill("The laptop in the study")
    page.get_by_role("button", name="Make the passkey").click()
    heading(page, "Recovery codes")
    check_look(page, "recovery codes")

    page.get_by_role("link", name="Back to security").click()
    expect(page.get_by_role("listitem").filter(has_text="The laptop in the study")).to_contain_text(
        "not used yet"
    )
    check_look(page, "security with a passkey")
    sign_out(page)

    page.goto(f"{system.url}/accounts/login/?next=/account/security")
    device.knows_its_owner(False)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert").filter(has_text="Nothing was done")).to_be_visible()
    check_look(page, "signing in, the passkey refused")
    device.knows_its_owner(True)
    page.get_by_role("button", name="Sign in with a passkey").click()
    heading(page, "Security")
    expect(page.get_by_text(f"You are signed in as {address}")).to_be_visible()
    sign_out(page)

    enter_password(system, page, address)
    heading(page, "The second step")
    check_look(page, "the second step")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"{system.url}/feed")

    page.goto(f"{system.url}/account/security")
    page.get_by_role("link", name="Rename The laptop in the study").click()
    heading(page, "Is it you?")
    check_look(page, "confirming by password, with other ways")
    page.get_by_role("link", name="Use a passkey").click()
    check_look(page, "confirming by passkey")
    page.get_by_role("button", name="Use a passkey").click()
    heading(page, "Rename a passkey")
    check_look(page, "renaming a passkey")
    page.get_by_label("What you call it").fill("Study")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("link", name="Remove Study").click()
    heading(page, "Remove a passkey")
    check_look(page, "removing a passkey")
    page.get_by_role("button", name="Remove the passkey").click()
    expect(page.get_by_text("Your password alone opens your account")).to_be_visible()
    told = [subject for subject in mails_to(system, address) if "passkey" in subject]
    assert told == [
        "A passkey was added to your Le Subscribe account",
        "A passkey was removed from your Le Subscribe account",
    ]


def test_an_app_is_set_up_asked_for_replaced_by_a_code_and_switched_off(
    system: RunningSystem, page: Page
) -> None:
    address = "app@example.org"
    signed_up(system, page, address, PASSWORD)
    page.goto(f"{system.url}/account/security")
    page.get_by_role("link", name="Set up an app").click()
    confirm_by_password(page)
    heading(page, "Set up an authenticator app")
    page.get_by_label("Code").fill("1")
    page.get_by_role("button", name="Switch it on").click()
    expect(page.locator(".errorlist")).to_contain_text("This code is not right")
    check_look(page, "setting up an app, a wrong code")
    key = page.locator("#app-key").inner_text()
    enter_code_of_app(page, key, "Switch it on")
    heading(page, "Recovery codes")
    codes = page.locator("#codes").inner_text().split()
    assert len(codes) == 10
    with page.expect_download() as download:
        page.get_by_role("link", name="Download them").click()
    assert re.findall(r"^\d{8}$", Path(download.value.path()).read_text(), re.MULTILINE) == codes
    page.goto(f"{system.url}/account/security")
    check_look(page, "security with an app")
    sign_out(page)

    enter_password(system, page, address)
    heading(page, "The second step")
    check_look(page, "the second step without a passkey")
    enter_code_of_app(page, key, "Sign in")
    expect(page).to_have_url(f"{system.url}/feed")
    sign_out(page)

    enter_password(system, page, address)
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{system.url}/feed")
    sign_out(page)
    enter_password(system, page, address)
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".errorlist")).to_contain_text("it was used already")
    page.get_by_label("Code").fill(codes[1])
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{system.url}/feed")

    page.goto(f"{system.url}/account/security")
    expect(page.get_by_text("8 of 10 codes are left")).to_be_visible()
    page.get_by_role("link", name="Make new ones").click()
    confirm_by_password(page)
    heading(page, "New recovery codes")
    check_look(page, "new recovery codes")
    page.get_by_role("button", name="Make new codes").click()
    assert not set(page.locator("#codes").inner_text().split()) & set(codes)

    page.goto(f"{system.url}/accounts/2fa/reauthenticate/")
    check_look(page, "confirming by code")
    page.goto(f"{system.url}/account/security")
    page.get_by_role("link", name="Switch it off").click()
    heading(page, "Switch the authenticator app off")
    check_look(page, "switching an app off")
    page.get_by_role("button", name="Switch it off").click()
    expect(page.get_by_text("Your password alone opens your account")).to_be_visible()
    sign_out(page)
    sign_in(system, page, address, PASSWORD)


def test_a_strange_browser_is_told_of_seen_and_signed_out(
    system: RunningSystem, page: Page, chromium: Browser
) -> None:
    address = "places@example.org"
    signed_up(system, page, address, PASSWORD)
    strange = chromium.new_context(user_agent=FIREFOX)
    stranger = strange.new_page()
    sign_in(system, stranger, address, PASSWORD)
    assert mails_to(system, address)[-1] == "Somebody signed in to your Le Subscribe account"

    page.goto(f"{system.url}/account/security")
    check_look(page, "signed in at two places")
    there = page.get_by_role("listitem").filter(has_text="Firefox on Windows")
    there.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("Firefox on Windows is signed out")).to_be_visible()
    stranger.goto(f"{system.url}/feed")
    expect(stranger).to_have_url(re.compile("/accounts/login/"))
    strange.close()


def test_without_scripts_the_password_and_the_app_still_do(system: RunningSystem, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    signed_up(system, page, "no-scripts@example.org", PASSWORD)
    page.goto(f"{system.url}/accounts/2fa/webauthn/add/")
    confirm_by_password(page)
    expect(page.get_by_text("This browser cannot use passkeys here")).to_be_visible()
    expect(page.get_by_role("button", name="Make the passkey")).to_be_hidden()
    page.goto(f"{system.url}/accounts/2fa/totp/activate/")
    enter_code_of_app(page, page.locator("#app-key").inner_text(), "Switch it on")
    heading(page, "Recovery codes")
    context.close()


def mails_to(system: RunningSystem, address: str) -> list[str]:
    """Their subjects, in order."""
    kept = sorted((system.var / "outbox").glob("*.eml"))
    mails = [email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in kept]
    return [str(mail["Subject"]) for mail in mails if mail["To"] == address]
