"""The landing page: an example from the demo and nobody else's, and a command that works."""

import json
import shlex
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from lesubscribe import live_example
from lesubscribe.demo.account import demo_user
from lesubscribe.demo.opening import open_houses
from matching.draining import drain
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.live import LiveMatcher
from matching.models import Match, PublishedEvent
from matching.services import subscribe
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, set_publisher_state
from schema_registry.selectors import current_schema
from tests.integration import cached

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture(autouse=True)
def nothing_is_cached() -> Iterator[None]:
    cached.forget()
    yield
    cached.forget()  # also that Redis was away


@pytest.fixture
def kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer for a page than an example is kept."""
    monkeypatch.setattr(live_example, "SECONDS_KEPT", 600)


class Demo:
    """The schema, the houses and the searches of the demo, without its month of items."""

    def __init__(self) -> None:
        open_houses(at=timezone.now() - timedelta(days=1))
        self.house = Publisher.objects.get(name="Maison Belleroche")
        set_publisher_state(self.house, Publisher.State.APPROVED)

    def finds(self, title: str, *, seconds_ago: int = 60) -> Match:
        """A table in oak comes in, and is matched."""
        event = {"event_type": ["furniture"], "category": "desk", "price": 900, "title": title}
        item = {"external_id": title, "title": title, "event": {**event, "material": ["oak"]}}
        ready = checked(self.house, read_envelope(item), current_schema())
        publish(self.house, ready, now=timezone.now() - timedelta(seconds=seconds_ago))
        drain(LiveMatcher("naive"))
        return Match.objects.get(event__title=title, subscription__name="Any table in oak")


def home(client: Client) -> str:
    return client.get("/").content.decode()


def test_without_a_demo_the_example_says_that_it_is_made_up(client: Client) -> None:
    assert "These lots are made up" in home(client)
    assert client.get("/live-example").status_code == 204


def test_a_demo_that_found_nothing_yet_shows_the_made_up_example(client: Client) -> None:
    Demo()
    assert "These lots are made up" in home(client)


def test_the_newest_finds_of_the_demo_are_shown_with_why(client: Client) -> None:
    demo = Demo()
    for number in range(5):
        demo.finds(f"Desk {number} in oak")
    page = home(client)
    assert [page.count(f"Desk {number} in oak") for number in range(5)] == [0, 0, 1, 1, 1]
    assert "<strong>category</strong> is a kind of <em>Tables</em>" in page
    assert "category is a kind of Tables: Desks" in page
    assert "made up" not in page


def test_what_is_withdrawn_or_hidden_is_not_shown(client: Client) -> None:
    demo = Demo()
    demo.finds("A desk that stays")
    Match.objects.filter(pk=demo.finds("A hidden desk").pk).update(hidden=True)
    withdrawn = demo.finds("A withdrawn desk").event_id
    PublishedEvent.objects.filter(pk=withdrawn).update(state=PublishedEvent.State.WITHDRAWN)
    page = home(client)
    assert "A desk that stays" in page
    assert "A hidden desk" not in page
    assert "A withdrawn desk" not in page


def test_nobodys_own_search_is_shown_not_even_one_of_the_demo_account(client: Client) -> None:
    demo = Demo()
    now = timezone.now() - timedelta(hours=1)
    for owner in (User.objects.create_user("private@example.org"), demo_user()):
        subscribe(owner, "category = desk and price <= 1234", name="A secret wish", now=now)
    demo.finds("A desk for all")
    page = home(client)
    assert "A desk for all" in page
    assert "A secret wish" not in page
    assert "1,234" not in page


def test_whoever_looks_hears_only_of_what_is_new(client: Client) -> None:
    demo = Demo()
    first = demo.finds("The first desk")
    assert client.get(f"/live-example?newest={first.pk}").status_code == 204
    demo.finds("The second desk")
    cached.forget()
    fragment = client.get(f"/live-example?newest={first.pk}").content.decode()
    assert fragment.index("The second desk") < fragment.index("The first desk")
    assert fragment.count("arrived") == 1
    assert "<html" not in fragment


def test_an_odd_number_is_no_harm(client: Client) -> None:
    Demo().finds("A desk")
    for newest in ("", "x", "-1", "9" * 400, "²"):
        assert client.get("/live-example", {"newest": newest}).status_code == 200


@pytest.mark.usefixtures("kept_for_long")
def test_many_visitors_cause_one_look(client: Client, django_assert_max_num_queries: Any) -> None:
    Demo().finds("A desk")
    home(client)
    with django_assert_max_num_queries(1):  # the version of the schema, for the command
        home(client)
    with django_assert_max_num_queries(0):
        client.get("/live-example")


@pytest.mark.usefixtures("kept_for_long")
def test_without_redis_the_page_is_there_and_looks_no_more_often(
    client: Client,
    settings: Settings,
    tmp_path: Path,
    django_assert_num_queries: Any,
) -> None:
    Demo().finds("A desk")
    away = {"LOCATION": f"unix://{tmp_path / 'nobody-listens'}"}
    settings.CACHES = {"default": {**settings.CACHES["default"], **away}}
    assert "A desk" in home(client)
    with django_assert_num_queries(0):
        assert client.get("/live-example").status_code == 200


def test_the_command_publishes_an_item(client: Client, settings: Settings) -> None:
    key = issue_key(Demo().house.user, [Scope.EVENTS])[1]
    page = home(client)
    command = page.split('<code id="command">')[1].split("</code>")[0]
    words = shlex.split(command.replace("&quot;", '"').replace("&#x27;", "'").replace("$KEY", key))
    assert words[:2] == ["curl", f"{settings.BASE_URL}/api/v1/events"]
    headers = dict(words[place + 1].split(": ") for place, word in enumerate(words) if word == "-H")
    answer = client.post(
        "/api/v1/events",
        json.loads(words[-1]),
        content_type=headers["Content-Type"],
        headers={"Authorization": headers["Authorization"]},
    )
    assert answer.status_code == 202


def test_where_the_schema_knows_no_such_item_the_command_reads_the_schema(client: Client) -> None:
    assert client.get("/api/v1/schema").status_code == 200
    assert "/api/v1/schema</code>" in home(client)


def test_signed_in_people_go_on_to_their_pages(client: Client) -> None:
    assert 'href="/accounts/signup/"' in home(client).split("<main")[1]
    client.force_login(User.objects.create_user("reader@example.org"))
    page = home(client).split("<main")[1]
    assert 'href="/searches/new"' in page
    assert 'href="/accounts/signup/"' not in page


def test_the_houses_of_the_demo_go_on_listing_items() -> None:
    Demo()
    call_command("demo_feed", every=0, items=3, verbosity=0)
    assert PublishedEvent.objects.count() == 3


def test_there_are_no_new_items_without_a_demo() -> None:
    with pytest.raises(CommandError, match="There is no demo here"):
        call_command("demo_feed", every=0, items=1)
