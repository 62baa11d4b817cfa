"""Who sees the pages that belong to no app."""

from collections import defaultdict
from collections.abc import Iterator

import pytest
from django.core.mail import send_mail
from django.test import Client
from django.urls import URLResolver, get_resolver
from pytest_django import Settings

from lesubscribe import outbox
from schema_registry.accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mails_stay_in_the_outbox(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "lesubscribe.outbox.EmailBackend"  # pytest-django puts another in its place


@pytest.fixture
def mail_name() -> str:
    send_mail("A subject", "See http://localhost/x", "from@example.org", ["to@example.org"])
    return outbox.kept_mails(newest=1)[0].name


def test_staff_read_a_mail_and_can_follow_its_links(admin_client: Client, mail_name: str) -> None:
    assert "A subject" in admin_client.get("/outbox").content.decode()
    page = admin_client.get(f"/outbox/{mail_name}").content.decode()
    assert '<a href="http://localhost/x"' in page


def test_a_visitor_is_asked_to_sign_in_before_the_outbox(client: Client, mail_name: str) -> None:
    for path in ("/outbox", f"/outbox/{mail_name}"):
        assert client.get(path).headers["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("is_staff", [False, True])
def test_the_outbox_has_links_that_open_accounts_so_only_superusers_see_it(
    client: Client, mail_name: str, is_staff: bool
) -> None:
    client.force_login(User.objects.create_user("reader@example.org", is_staff=is_staff))
    for path in ("/outbox", f"/outbox/{mail_name}"):
        assert client.get(path).status_code == 404


def test_a_mail_that_is_not_there_is_not_found(admin_client: Client) -> None:
    assert admin_client.get("/outbox/nothing").status_code == 404


def test_a_page_that_does_not_exist_is_in_our_look(client: Client) -> None:
    answer = client.get("/nothing-here")
    assert answer.status_code == 404
    assert "Le Subscribe" in answer.content.decode()


def test_a_browser_at_the_address_of_a_button_gets_a_page_and_a_program_none(admin_client: Client) -> None:
    page = admin_client.get("/searches/1/pause", headers={"Accept": "text/html,*/*"})
    assert (page.status_code, page["Allow"]) == (405, "POST")
    assert "This address is for a button" in page.content.decode()
    assert admin_client.get("/searches/1/pause").content == b""


def test_a_name_leads_to_one_address() -> None:
    addresses: dict[str, set[str]] = defaultdict(set)
    for name, address in routes(get_resolver()):
        addresses[name].add(address)
    assert {name: found for name, found in addresses.items() if len(found) > 1} == {}


def routes(resolver: URLResolver, before: str = "", space: str = "") -> Iterator[tuple[str, str]]:
    for entry in resolver.url_patterns:
        address = f"{before}{entry.pattern}"
        if isinstance(entry, URLResolver):
            yield from routes(entry, address, f"{space}{entry.namespace}:" if entry.namespace else space)
        elif entry.name:
            yield f"{space}{entry.name}", address
