"""`make screenshots`: takes the pictures of the README and the docs, of a fresh system with its demo.

python -m tests.browser.screenshots [NAME ...]
"""

import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import FLAGS, program, sign_in
from tests.running_system import ROOT, RunningSystem

PICTURES = ROOT / "docs" / "pictures"
LARGEST = 200_000  # bytes: people load them with the README
SECONDS_TO_COUNT = 150
TEXT = "category <= tables and price <= 200 and material contains oak"
NAME = "Tables in oak up to 200 EUR"


def nothing_more(page: Page) -> None:
    """The page as it opens is the picture."""


def until_previewed(page: Page) -> None:
    page.locator("canvas").first.wait_for()


def until_counted(page: Page) -> None:
    """Maintenance counts the finds of each day a minute after a first start."""
    deadline = time.monotonic() + SECONDS_TO_COUNT
    first = page.locator("ul.searches > li").first
    while "none in 30 days" in first.inner_text() and time.monotonic() < deadline:
        page.wait_for_timeout(2_000)
        page.reload()


def with_tables_open(page: Page) -> None:
    for label in ("Furniture", "Tables"):
        page.get_by_role("button", name=f"What is below {label}").click()
        page.get_by_role("button", name="What is below").last.wait_for()
    page.get_by_role("link", name="Dining tables").wait_for()


@dataclass(frozen=True, slots=True)
class Picture:
    name: str
    path: str
    ready: Callable[[Page], None] = nothing_more
    width: int = 1440
    height: int = 900
    scheme: Literal["light", "dark"] = "light"
    is_signed_in: bool = True


TAKEN = (
    Picture("landing", "/", is_signed_in=False),
    Picture(
        "new-search",
        f"/searches/new?name={quote(NAME)}&text={quote(TEXT)}",
        until_previewed,
        height=1100,
    ),
    Picture("feed", "/feed"),
    Picture("feed-phone", "/feed", width=360, height=720, scheme="dark"),
    Picture("searches", "/searches?sort=last-match", until_counted),
    Picture("notifications", "/notifications", height=1400),
    Picture("schema", "/schema/domains/category", with_tables_open, height=1100),
)


def main(names: list[str]) -> int:
    wanted = [picture for picture in TAKEN if not names or picture.name in names]
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        print("Starting a system with the demo ...", flush=True)
        system = RunningSystem(Path(directory) / "var", DEMO_DATA="yes").start()
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        try:
            sizes = [take(system, browser, picture) for picture in wanted]
        finally:
            browser.close()
            system.stop()
    return 1 if max(sizes, default=0) > LARGEST else 0


def take(system: RunningSystem, browser: Browser, picture: Picture) -> int:
    """Take it, and say how many bytes it has."""
    context = browser.new_context(
        color_scheme=picture.scheme,
        viewport={"width": picture.width, "height": picture.height},
        reduced_motion="reduce",
    )
    page = context.new_page()
    if picture.is_signed_in:
        sign_in(system, page, *demo_login(system))
    page.goto(system.url + picture.path)
    picture.ready(page)
    page.wait_for_timeout(500)  # fonts, pictures, the last answer of a fragment; nothing asserts on it
    file = PICTURES / f"{picture.name}.png"
    page.screenshot(path=file)
    context.close()
    size = file.stat().st_size
    print(f"  {file.relative_to(ROOT)}: {size:,} bytes", "(too large)" if size > LARGEST else "", flush=True)
    return size


def demo_login(system: RunningSystem) -> tuple[str, str]:
    """Address and password, as a start prints them."""
    found = re.search(r"Demo login: (\S+) / (\S+)", system.log)
    assert found, system.log
    return found[1], found[2]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
