"""How the administration looks: a page of every kind that its links lead to, held to what all pages are."""

import re
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.looks import wrong_with
from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database

START = "/admin/"
LEAST_KINDS = 60  # far fewer would mean that links were not followed
LINKS = "[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))"
LEFT_OUT = re.compile(
    r"/logout/|/jsi18n/|/r/\d+/|/export/|/report/"
)  # a button, a script, pages themselves, files
# One of each will do: these look the same for every model.
SAME_FOR_ALL = [
    (re.compile(r"^/admin/.+/(history|delete)/$"), r"\1"),
    (re.compile(r"^/admin/\w+/$"), "models of one application"),
    (re.compile(r"\d+"), "N"),
]


@pytest.mark.usefixtures("content")
def test_every_kind_of_page(system: RunningSystem, demo_page: Page) -> None:
    wrong: list[str] = []
    seen: set[str] = set()
    waiting = [START]
    while waiting:
        path = waiting.pop(0)
        if kind_of(path) in seen or LEFT_OUT.search(path):
            continue
        seen.add(kind_of(path))
        answer = demo_page.goto(system.url + path)
        assert answer is not None
        assert answer.status == 200, f"{path}: {answer.status}"
        wrong += wrong_with(demo_page, path)
        targets = (urlsplit(urljoin(system.url + path, link)) for link in demo_page.evaluate(LINKS))
        waiting += [f"{target.path}?{target.query}" for target in targets if target.path.startswith(START)]
    assert not wrong, "\n".join(wrong)
    assert len(seen) >= LEAST_KINDS


def kind_of(path: str) -> str:
    """What addresses of pages have in common that look alike; without the query."""
    kind = path.partition("?")[0]
    for pattern, common in SAME_FOR_ALL:
        kind = pattern.sub(common, kind)
    return kind
