"""Every page in a language that nobody speaks: what is left of English on it was never translated.

The pages are those of the resolver, as somebody sees them who owns one thing of each kind and may do all.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from django.test import Client
from pytest_django import Settings

from tests.integration.pseudo import LANGUAGE, usual_words, write_pseudo_catalogue
from tests.integration.tenants import MARK, owner_of_everything, rows_of_others_models
from tests.integration.test_tenant_matrix import (
    PARAMETER,
    admin_path,
    arguments,
    has_parameter,
    path_of,
    routes,
)

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

# Words that are the same in every language: what somebody gave a thing, and names.
DATA = re.compile(
    rf"\S*{MARK}\S*|\S+@example\.org|Maison Belleroche|Galerie|Hôtel des ventes"
    r"|Le Subscribe|English|Ido\b|UTC|EUR|SQLite|PostgreSQL|whsec_"
    r"|\b(?:event type|category|material|price|title|lot|furniture|table|money|name|words)\b"  # of the schema
    r"|\b(?:match|plan|deliver|maintenance)(?:-\d+)?\b"  # queues
    r"|\b(?:Tables|Dining table|dining-table|event_type|events)\b"
    r"|\b(?:at_once|once|hourly|daily|weekly|price_drop|always)\b"  # as the API calls them
    r"|\S+@publishers\.invalid\)?|\bmsg_\w+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|ls_\w*"
    r"|\b(?:True|False|None)\b"  # pictures of Django
    r"|[^|]+\|[^|]+\| Can .*|^Authenticators$|^User sessions$"  # names that Django and its kin store or give
    r"|Telegram|Discord|Slack|Mattermost|Rocket\.Chat|ntfy|Gotify|Pushover|Signal"
)
# Answers for programs, or what ends what the next address needs.
LEFT_OUT = ("api/", "metrics", "readyz", "healthz", "accounts/logout/", "admin/logout/")
# Their pages are translated as far as they are.
OF_LIBRARIES = ("admin/django_celery_beat/", "admin/mfa/", "admin/usersessions/", "admin/account/")


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("catalogue")
    write_pseudo_catalogue(folder)
    return folder


@pytest.fixture
def reader(settings: Settings, tmp_path: Path, catalogue: Path) -> Iterator[Client]:
    settings.LOCALE_PATHS = [catalogue]
    # What other tests have left: mails that pages would show, and words that are kept.
    settings.OUTBOX = tmp_path / "outbox"
    settings.OUTBOX.mkdir()
    for name in settings.CACHES:
        caches[name].clear()
    settings.LANGUAGES = [("en", "English"), (LANGUAGE, "Ido")]
    owner = owner_of_everything()
    owner.is_staff = owner.is_superuser = True
    owner.language = LANGUAGE
    owner.save()
    # Some pages fail for what the owner has: a passkey that is none. The page that says so is one too.
    client = Client(headers={"Accept-Language": LANGUAGE}, raise_request_exception=False)
    client.force_login(owner)
    logging.disable()
    yield client
    logging.disable(logging.NOTSET)


def test_no_page_of_a_reader_has_untranslated_words(reader: Client) -> None:
    assert found_on(reader, addresses()) == []


def test_no_page_of_a_visitor_has_untranslated_words(reader: Client) -> None:
    reader.logout()
    assert found_on(reader, addresses()) == []


def test_no_page_of_the_administration_has_untranslated_words(reader: Client) -> None:
    rows_of_others_models()
    assert found_on(reader, addresses_of_the_administration()) == []


def addresses() -> Iterator[str]:
    for route in routes():
        if route.startswith((*LEFT_OUT, "admin/", "^")) or (has_parameter(route) and not arguments(route)):
            continue
        yield path_of(route, 0)
    yield from ("/nothing-here", "/schema/attributes/price", "/schema/types/lot", "/schema/history/1")


def addresses_of_the_administration() -> Iterator[str]:
    for route in routes():
        if not route.startswith("admin/") or route.startswith((*LEFT_OUT, *OF_LIBRARIES)) or "(?P" in route:
            continue
        yield admin_path(route, exists=True) if PARAMETER.search(route) else f"/{route}"


def found_on(client: Client, paths: Iterable[str]) -> list[str]:
    """Each bit once, with the first page that has it."""
    found: dict[str, str] = {}
    pages = 0
    for path in paths:
        answer = client.get(path)
        if answer.get("Content-Type", "").startswith("text/html"):
            pages += answer.status_code == 200
            for words in usual_words(answer.content.decode(), data=DATA):
                found.setdefault(words, path)
    assert pages > 10, "there are more pages than these"
    return [f"{path}: {words}" for words, path in found.items()]
