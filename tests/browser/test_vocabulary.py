"""A publisher's member adds to the schema, keeps a view, and reads the demand, in a real browser."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from matching.models import Demand
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema
from tests.browser.looks import check_look
from tests.integration.collector import Collector

pytestmark = pytest.mark.any_database


@pytest.fixture
def house(collector: Collector, live_server: LiveServer) -> str:
    """The address of the console of a publisher that the collector looks after."""
    house = publisher_named("Maison Belleroche", state=Publisher.State.APPROVED)
    add_member(house, collector.user)
    return f"{live_server.url}/publish/{house.pk}"


def test_a_name_that_is_alike_is_shown_before_the_new_one_is_made(reader: Page, house: str) -> None:
    reader.goto(f"{house}/schema")
    reader.get_by_role("link", name="New attribute").click()
    reader.get_by_label("Name").fill("asking_price")
    reader.get_by_label("Domain").fill("mony")
    reader.get_by_role("button", name="Go on").click()
    expect(reader.get_by_text("Did you mean 'money'?")).to_be_visible()
    check_look(reader, "a new attribute with a mistake")
    reader.get_by_label("Domain").fill("money")
    reader.get_by_role("button", name="Go on").click()
    hint = reader.get_by_role("region", name="Is it there already?")
    expect(hint.get_by_role("link", name="price")).to_be_visible()
    check_look(reader, "a new attribute before it is made")
    reader.get_by_role("button", name="Make it all the same").click()
    expect(reader.get_by_text("attribute created, asking_price")).to_be_visible()
    check_look(reader, "a new attribute that was made")
    reader.get_by_role("link", name="Look at it in the schema").click()
    expect(reader.get_by_role("heading", name="asking_price")).to_be_visible()


def test_a_domain_asks_only_for_what_its_kind_needs(reader: Page, house: str) -> None:
    reader.goto(f"{house}/schema/domain")
    tree, unit = reader.get_by_label("Tree", exact=True), reader.get_by_label("Unit")
    expect(unit).to_be_visible()
    expect(tree).to_be_hidden()
    reader.get_by_label("Name", exact=True).fill("lamps")
    reader.get_by_label("a tree to choose from").check()
    expect(unit).to_be_hidden()
    tree.fill("lamps\n  desk lamps | Desk lamps\nwall lamps < lamps")
    check_look(reader, "a new tree")
    reader.get_by_role("button", name="Go on").click()
    expect(reader.get_by_text("one of a tree: 3 values")).to_be_visible()
    reader.get_by_role("button", name="Change it").click()
    expect(tree).to_have_value("lamps\n  desk lamps | Desk lamps\nwall lamps < lamps")
    reader.get_by_role("button", name="Go on").click()
    reader.get_by_role("button", name="Make it", exact=True).click()
    expect(reader.get_by_text("domain created, lamps")).to_be_visible()
    assert current_schema().to_dict()["domains"]["lamps"]["labels"] == {"desk lamps": "Desk lamps"}


def test_a_view_is_made_deleted_and_brought_back(reader: Page, house: str) -> None:
    reader.goto(f"{house}/views")
    reader.get_by_role("link", name="New view").click()
    reader.get_by_label("Name").fill("shop")
    reader.get_by_label("Event type 1").fill("lot")
    reader.get_by_role("button", name="Show their attributes").click()
    reader.get_by_role("checkbox").last.uncheck()
    check_look(reader, "a new view")
    reader.get_by_role("button", name="Make the view").click()
    expect(reader.get_by_role("heading", name="shop")).to_be_visible()
    check_look(reader, "a view")
    reader.get_by_role("button", name="Delete this view").click()
    expect(reader.get_by_text("You have no view yet.")).to_be_visible()
    check_look(reader, "a view that was deleted")
    reader.get_by_role("button", name="Undo").click()
    expect(reader.get_by_role("link", name="shop")).to_be_visible()


def test_demand_is_read_without_colours_and_in_the_dark(reader: Page, house: str) -> None:
    now = timezone.now()
    document = {
        "places": [["category", "furniture", 60], ["category", "table", 30]],
        "words": [["oak", 20]],
        "ranges": [[["category", "table"], "price", {"1": 30, "2": 30, "3": 20}]],
    }
    Demand.objects.create(pk=1, counted_at=now, published_at=now, document=document)
    reader.goto(f"{house}/demand")
    expect(reader.get_by_text("60+ people")).to_be_visible()
    reader.get_by_text("Prices and other numbers").first.click()
    expect(reader.get_by_text("up to 2 EUR")).to_be_visible()
    check_look(reader, "demand")
    reader.emulate_media(forced_colors="active")
    expect(reader.get_by_text("60+ people")).to_be_visible()
