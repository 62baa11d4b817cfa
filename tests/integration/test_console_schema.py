"""A publisher adds to the schema by forms: checked beside each field, hinted at what is there, then made."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from schema_registry import selectors, services
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.models import EventView, SchemaVersion
from schema_registry.services import Author
from tests.integration.test_schema_pages import words

pytestmark = pytest.mark.django_db

TREE = "furniture\n  table | Tables\n    dining table\nchair < furniture"
ROWS = {"row-TOTAL_FORMS": "3", "row-INITIAL_FORMS": "0"}


def row(number: int, attribute: str, presence: str = "optional", arity: str = "unique") -> dict[str, str]:
    names = {"attribute": attribute, "presence": presence, "arity": arity}
    return {f"row-{number}-{name}": value for name, value in names.items()}


@pytest.fixture
def house(client: Client) -> Publisher:
    house = publisher_named("Maison Belleroche", state=Publisher.State.APPROVED)
    member = User.objects.create_user("member@example.org")
    add_member(house, member)
    client.force_login(member)
    return house


@pytest.fixture
def schema(house: Publisher) -> None:
    by = Author(None, None)
    services.create_domain(by, "money", {"kind": "numeric", "min": 0, "unit": "EUR"})
    services.create_attribute(by, "price", "money")
    services.create_attribute(by, "width", "money")
    services.create_event_type(by, "lot", {"price": ["mandatory", "unique"]})


class Console:
    """Sends a form as the page would."""

    def __init__(self, client: Client, house: Publisher) -> None:
        self.client, self.house = client, house

    def send(self, form: str, do: str, **fields: Any) -> Any:
        return self.client.post(f"/publish/{self.house.pk}/schema/{form}", {"do": do, "why": "", **fields})

    def preview(self, form: str, **fields: Any) -> str:
        answer = self.send(form, "preview", **fields)
        assert answer.status_code == 200
        return words(answer.content.decode())

    def made(self, form: str, **fields: Any) -> str:
        answer = self.send(form, "make", **fields)
        assert answer.status_code == 302, words(answer.content.decode())
        return unescape(self.client.get(answer.headers["Location"]).content.decode())


@pytest.fixture
def console(client: Client, house: Publisher) -> Console:
    return Console(client, house)


@pytest.mark.usefixtures("schema")
def test_the_four_rules_make_what_the_api_would(console: Console, house: Publisher) -> None:
    before = selectors.current_schema().version
    console.made("domain", name="kinds", kind="hierarchical", tree=TREE, why="we sell furniture")
    console.made("domain", name="ages", kind="enumerated", values="XVI | old\nXVII", order="XVI < XVII")
    console.made("domain", name="widths", kind="numeric", low="0.5", high="900", unit="cm")
    console.made("attribute", name="kind", domain="kinds")
    attributes = row(0, "price", "mandatory") | row(2, "kind", "optional", "multiple") | row(1, "")
    console.made("event-type", name="chairs", **ROWS, **attributes)
    console.made("extension", event_type="lot", attribute="kind", multiple="on")
    now = selectors.current_schema()
    document = now.to_dict()
    assert document["domains"]["kinds"]["values"] == {
        "furniture": None,
        "table": "furniture",
        "dining table": "table",
        "chair": "furniture",
    }
    assert document["domains"]["kinds"]["labels"] == {"table": "Tables"}
    assert document["domains"]["ages"]["order"] == [["XVI", "XVII"]]
    assert document["domains"]["widths"] == {"kind": "numeric", "min": 0.5, "max": 900, "unit": "cm"}
    assert document["event_types"]["chairs"] == {
        "price": ["mandatory", "unique"],
        "kind": ["optional", "multiple"],
    }
    assert document["event_types"]["lot"]["kind"] == ["optional", "multiple"]
    made = SchemaVersion.objects.filter(publisher=house)
    assert made.count() == now.version - before == 6
    assert made.get(subject="kinds").why == "we sell furniture"
    assert made.get(subject="kinds").author == User.objects.get(email="member@example.org")


@pytest.mark.usefixtures("schema")
def test_before_it_is_made_one_sees_what_is_there_already_and_what_it_means(console: Console) -> None:
    version = selectors.current_schema().version
    same = console.preview("domain", name="amounts", kind="numeric", low="0", unit="EUR")
    assert "There is money already, used by 2 attributes, and it is defined just like yours" in same
    assert "Make it all the same" in same
    alike = console.preview("attribute", name="asking_price", domain="money")
    assert "There is price already, over money, used by 1 event type: use it unless" in alike
    assert "asking_price <= 100" in alike
    lot = console.preview("extension", event_type="lot", attribute="width")
    assert "There is price already" in lot, "over the same domain, in the same event type"
    twin = console.preview("event-type", name="item", **ROWS, **row(0, "price", "mandatory"))
    assert "There is lot already, with 1 attribute, and it is defined just like yours" in twin
    other = console.preview("domain", name="colours", kind="enumerated", values="red\nblue")
    assert "Is it there already" not in other
    assert f"{version + 1}, for everybody" in other
    assert selectors.current_schema().version == version


@pytest.mark.usefixtures("schema")
def test_what_was_made_is_shown_with_the_command_that_does_the_same(console: Console, client: Client) -> None:
    page = console.made("event-type", name="l'été", **ROWS, **row(0, "price", "mandatory"))
    assert "event type created, <bdi>l'été</bdi>" in page
    assert "/schema/types/l'%C3%A9t%C3%A9\"" in page
    command = re.findall(r'<pre[^>]*id="curl"[^>]*><code>(.*?)</code>', page, re.DOTALL)[0]
    assert """'{"name": "l'"'"'été", "attributes": {"price": ["mandatory", "unique"]}}'""" in command
    assert "http://testserver/api/v1/schema/event-types" in command
    others = SchemaVersion.objects.filter(publisher=None).latest("version")
    told = client.get(f"/publish/{console.house.pk}/schema?made={others.version}").content.decode()
    assert "curl" not in told, "that of somebody else is not ours to tell of"


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize(
    ("form", "fields", "field", "said"),
    [
        ("domain", {"name": "money", "kind": "text"}, "name", "There is already a domain 'money'."),
        ("domain", {"name": "a/b", "kind": "text"}, "name", "must not contain '/'"),
        (
            "domain",
            {"name": "x", "kind": "numeric", "low": "9", "high": "1"},
            "high",
            "min 9 is above max 1.",
        ),
        (
            "domain",
            {"name": "x", "kind": "numeric", "low": "1.2345678901234567"},
            "low",
            "significant digits",
        ),
        ("domain", {"name": "x", "kind": "enumerated", "values": ""}, "values", "A domain has 1 to"),
        ("domain", {"name": "x", "kind": "enumerated", "values": "a\na"}, "values", "given twice"),
        ("domain", {"name": "x", "kind": "enumerated", "values": "a\nb", "order": "a < c"}, "order", "'c'"),
        ("domain", {"name": "x", "kind": "hierarchical", "tree": "a < b\nb < a"}, "tree", "cycle"),
        ("domain", {"name": "x", "kind": "hierarchical", "tree": "a\n b\nb"}, "tree", "Line 3"),
        ("attribute", {"name": "price", "domain": "money"}, "name", "There is already an attribute 'price'."),
        ("attribute", {"name": "2nd", "domain": "money"}, "name", "not starting with a digit"),
        ("attribute", {"name": "x", "domain": "mony"}, "domain", "Did you mean 'money'?"),
        ("extension", {"event_type": "lots", "attribute": "width"}, "event_type", "Did you mean 'lot'?"),
        ("extension", {"event_type": "lot", "attribute": "prise"}, "attribute", "Did you mean 'price'?"),
        ("extension", {"event_type": "lot", "attribute": "price"}, "attribute", "already has the attribute"),
        ("event-type", {"name": "lot", **ROWS}, "name", "There is already an event type 'lot'."),
        ("event-type", {"name": "x", **ROWS, **row(1, "prise")}, "row-1-attribute", "Did you mean 'price'?"),
        (
            "event-type",
            {"name": "x", **ROWS, **row(0, "price"), **row(1, "price")},
            "row-1-attribute",
            "in the list already",
        ),
    ],
)
@pytest.mark.any_database
def test_mistakes_are_told_beside_their_field_and_nothing_is_made(
    console: Console, form: str, fields: dict[str, str], field: str, said: str
) -> None:
    version = selectors.current_schema().version
    for do in ("preview", "make"):
        page = unescape(console.send(form, do, **fields).content.decode())
        beside = page.split(f'name="{field}"')[1].split("</div>")[0]
        assert said in beside
        assert page.count("errorlist") == 1
    assert selectors.current_schema().version == version


@pytest.mark.usefixtures("schema")
def test_the_quota_is_that_of_the_api(console: Console, house: Publisher) -> None:
    Publisher.objects.filter(pk=house.pk).update(extensions_per_day=1)
    console.made("domain", name="texts", kind="text")
    answer = console.send("domain", "make", name="names", kind="string")
    assert "may extend the schema 1 times a day" in words(answer.content.decode())
    assert "names" not in selectors.current_schema().domains
    page = words(console.client.get(f"/publish/{house.pk}/schema").content.decode())
    assert "and have done so" in page


@pytest.mark.usefixtures("schema")
@pytest.mark.any_database
@pytest.mark.parametrize("state", ["pending", "suspended"])
def test_only_approved_publishers_extend_the_schema_or_change_views(
    console: Console, house: Publisher, client: Client, state: str
) -> None:
    view = services.create_view(house, "shop", ["lot"], ["price"])
    Publisher.objects.filter(pk=house.pk).update(state=state)
    version = selectors.current_schema().version
    said = "once we have approved you" if state == "pending" else "suspended"
    assert said in words(client.get(f"/publish/{house.pk}/schema").content.decode())
    assert said in words(console.send("domain", "make", name="texts", kind="text").content.decode())
    fields = {"do": "make", "name": "other", "type": ["lot"], "ticked_for": ["lot"]}
    assert said in words(client.post(f"/publish/{house.pk}/views/new", fields).content.decode())
    client.post(f"/publish/{house.pk}/views/{view.pk}/delete")
    assert selectors.current_schema().version == version
    assert [each.name for each in EventView.objects.all()] == ["shop"]


@pytest.mark.usefixtures("schema")
@pytest.mark.any_database
def test_going_back_and_more_rows_keep_what_was_typed(console: Console) -> None:
    typed = {"name": "chairs", **ROWS, **row(0, "price", "mandatory")}
    for do, rows in (("edit", 3), ("more", 9)):
        page = console.send("event-type", do, **typed).content.decode()
        assert 'value="chairs"' in page
        assert 'value="price"' in page
        assert page.count('class="attribute-row"') == rows
        assert "errorlist" not in page


@pytest.mark.usefixtures("schema")
def test_a_view_is_made_of_event_types_then_attributes_and_its_events_are_checked(
    client: Client, house: Publisher
) -> None:
    services.extend_event_type(Author(None, None), "lot", "width")
    base = f"/publish/{house.pk}/views"
    first = client.post(f"{base}/new", {"do": "make", "name": "shop", "type": ["lot", ""]}).content.decode()
    assert not EventView.objects.exists(), "its attributes were not seen yet"
    assert re.search(r'value="width" checked', first)
    assert re.search(r'value="price" checked disabled', first)
    fields: dict[str, Any] = {"do": "make", "name": "shop", "type": ["lot"], "ticked_for": ["lot"]}
    answer = client.post(f"{base}/new", fields)
    stored = EventView.objects.get()
    assert answer.headers["Location"] == f"{base}/{stored.pk}"
    assert (stored.event_types, stored.attributes) == (["lot"], ["price"])
    page = client.get(f"{base}/{stored.pk}").content.decode()
    assert "&quot;additionalProperties&quot;: false" in page
    assert "event_type=lot&amp;attribute=price" in page
    again = words(client.post(f"{base}/new", fields).content.decode())
    assert "There is already a view 'shop'." in again
    wrong = words(client.post(f"{base}/new", {**fields, "type": ["lott"]}).content.decode())
    assert "Did you mean 'lot'?" in wrong


@pytest.mark.usefixtures("schema")
def test_a_changed_or_deleted_view_can_be_taken_back(client: Client, house: Publisher) -> None:
    services.extend_event_type(Author(None, None), "lot", "width")
    view = services.create_view(house, "shop", ["lot"], ["price"])
    base = f"/publish/{house.pk}/views"
    fields = {"do": "make", "type": ["lot"], "ticked_for": ["lot"], "attribute": ["width"]}
    client.post(f"{base}/{view.pk}", fields)
    assert EventView.objects.get().attributes == ["price", "width"]
    client.post(f"{base}/undo")
    assert EventView.objects.get().attributes == ["price"]
    client.post(f"{base}/{view.pk}/delete")
    assert not EventView.objects.exists()
    assert "Undo" in client.get(base).content.decode()
    client.post(f"{base}/undo")
    assert (EventView.objects.get().name, EventView.objects.get().attributes) == ("shop", ["price"])
    assert "Undo" not in client.get(base).content.decode()


@pytest.mark.usefixtures("schema")
@pytest.mark.any_database
def test_the_view_of_another_publisher_is_not_there(client: Client, house: Publisher) -> None:
    other = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    view = services.create_view(other, "shop", ["lot"], ["price"])
    assert client.get(f"/publish/{house.pk}/views/{view.pk}").status_code == 404
    assert client.post(f"/publish/{house.pk}/views/{view.pk}/delete").status_code == 404
    assert client.get(f"/publish/{other.pk}/views/{view.pk}").status_code == 404
    assert EventView.objects.filter(pk=view.pk).exists()
