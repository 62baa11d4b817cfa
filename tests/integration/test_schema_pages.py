"""The schema browser: what it shows, to whom, from how many queries, and how small it stays."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import unquote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from schema_registry import selectors, services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.core.administration import difference
from schema_registry.core.errors import SchemaError
from schema_registry.history import difference_of
from schema_registry.language import parse
from schema_registry.models import SchemaVersion
from schema_registry.services import Author
from tests.effort import effort

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

MOST_CALLS = 300_000  # the most, of a page with 200 values, are 98,000

HOSTILE = "<b onclick='x'>\"&amp;%2e?#;\\é {{ 1 }} {% x %}"  # as long as it is a name, anything goes
CATEGORY = {
    "kind": "hierarchical",
    "values": {"furniture": None, "tables": "furniture", "dining": "tables", "chairs": "furniture"},
    "labels": {"tables": "Tables", "dining": "Régence tables"},
}
PERIOD = {
    "kind": "enumerated",
    "values": ["XVI", "XVII", "XVIII", "unknown"],
    "order": [["XVI", "XVII"], ["XVII", "XVIII"], ["XVI", "XVIII"]],
}


@pytest.fixture
def house() -> Publisher:
    return publisher_named("Maison Belleroche", state=Publisher.State.APPROVED)


@pytest.fixture
def schema(house: Publisher) -> None:
    """A small schema, and one of everything that can happen to it."""
    by = Author(house.user, house, "we sell <i>furniture</i>")
    staff = Author(User.objects.create_user("secret.admin@example.org"), None, "tidying up")
    services.create_domain(by, "category", CATEGORY)
    services.create_domain(by, "period", PERIOD)
    services.create_domain(by, "money", {"kind": "numeric", "min": 0, "unit": "EUR"})
    services.create_domain(by, "amount", {"kind": "numeric", "min": 0, "unit": "EUR"})
    for name, domain in {"price": "money", "kind": "category", "age": "period", "estimate": "amount"}.items():
        services.create_attribute(by, name, domain)
    services.create_event_type(
        by, "lot", {"price": ["mandatory", "unique"], "kind": ["mandatory", "multiple"]}
    )
    services.extend_event_type(by, "lot", "age")
    services.add_values(staff, "category", {"lamps": None, "desk lamps": "lamps"}, labels={"lamps": "Lamps"})
    services.add_values(staff, "period", ["XIX"], order=[["XVIII", "XIX"]])
    services.merge_domains(staff, "money", ["amount"])
    services.deprecate(staff, "attributes", "estimate")
    services.deprecate(staff, "attributes", "estimate", undo=True)
    services.deprecate(staff, "attributes", "age")
    services.deprecate_value(staff, "category", "chairs")


@pytest.fixture
def read(client: Client) -> Callable[[str], str]:
    def page(path: str) -> str:
        answer = client.get(path)
        assert answer.status_code == 200, path
        return answer.content.decode()

    return page


def words(html: str) -> str:
    """What people read of a page."""
    main = html.split("<main", 1)[-1].split("</main>")[0]
    text = " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())
    return re.sub(r" ([,.:)])", r"\1", text)


@pytest.mark.usefixtures("schema")
def test_the_first_page_lists_types_and_attributes_with_examples_that_parse(
    read: Callable[[str], str],
) -> None:
    html = read("/schema")
    text = words(html)
    assert "always there kind (several), price may be there age" in text
    assert "a number from 0 up in EUR" in text
    assert "one of a tree: 6 values" in text
    texts = [unquote(each) for each in re.findall(r'/searches/new\?text=([^"]+)"', html)]
    assert {"price <= 100", "kind <= Tables", "event_type = lot"} <= set(texts)
    for each in texts:
        parse(each, selectors.current_schema())
    assert "deprecated since version 17" in text
    assert "age >= " not in text


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("pri", ["price", "attribute"]),
        ("LOT", ["lot", "event type"]),
        ("regence", ["Régence tables", "furniture > Tables", "value of category"]),
        ("able", ["Tables"]),
        ("nothing of that name", ["Nothing has “nothing of that name” in its name"]),
    ],
)
def test_typing_finds_names_of_all_sorts(client: Client, typed: str, expected: list[str]) -> None:
    page = client.get("/schema", {"q": typed}).content.decode()
    part = client.get("/schema", {"q": typed}, headers={"HX-Target": "found"}).content.decode()
    assert "<html" in page
    assert "<html" not in part
    for each in expected:
        assert each in words(page)
        assert each in words(part)
    assert client.get("/schema", {"q": "chairs"}).content.decode().count("?of=chairs") == 0


@pytest.mark.usefixtures("schema")
def test_a_domain_shows_its_values_their_order_and_what_it_can_be_asked(read: Callable[[str], str]) -> None:
    tree = words(read("/schema/domains/category"))
    assert "furniture 3 below" in tree
    assert "is this or a kind of it" in tree
    assert "Used by kind" in tree
    assert "Tables" not in tree.split("What you can ask")[0], "what is below is fetched when it is opened"
    order = read("/schema/domains/period")
    assert re.findall(r"<li><bdi>(\w+)</bdi></li>", order.split('class="chain"')[1].split("</ol>")[0]) == [
        "XVI",
        "XVII",
        "XVIII",
        "XIX",
    ]
    assert "In no order: unknown" in words(order)
    value = words(read("/schema/domains/category?of=tables"))
    assert "kind <= Tables" in value
    assert "Régence tables" in value
    assert "lot" in words(read("/schema/domains/event_type"))


@pytest.mark.usefixtures("schema")
def test_what_is_deprecated_says_since_when(read: Callable[[str], str]) -> None:
    for path, version in {"attributes/age": 17, "domains/category?of=chairs": 18}.items():
        assert f"Deprecated since version {version}," in words(read(f"/schema/{path}"))
    assert "deprecated" in read("/schema/domains/category/values?of=furniture")


@pytest.mark.usefixtures("schema")
def test_a_domain_that_was_merged_leads_to_the_one_kept(client: Client) -> None:
    assert client.get("/schema/domains/amount").headers["Location"] == "/schema/domains/money"


@pytest.mark.usefixtures("schema")
def test_the_history_tells_the_publisher_but_never_who_of_the_staff(read: Callable[[str], str]) -> None:
    listed = read("/schema/history")
    assert words(listed).index("18") < words(listed).index("attribute created: price")
    assert "by Maison Belleroche · we sell <i>furniture</i>" in words(listed)
    assert "by the administrators" in words(listed)
    pages = [listed, *(read(f"/schema/history/{number}") for number in range(2, 19))]
    assert not any("secret.admin" in page for page in pages)
    assert not any("<i>furniture" in page for page in pages)


@pytest.mark.usefixtures("schema")
def test_a_version_shows_what_it_changed(read: Callable[[str], str]) -> None:
    shown = {number: words(read(f"/schema/history/{number}")) for number in range(2, 19)}
    assert "new domain category (tree of values)" in shown[2]
    assert "4 values of category" in shown[2]
    assert "Régence tables below Tables" in shown[2]
    assert "new attribute price with values of money" in shown[6]
    assert "new event type lot" in shown[10]
    assert "new attribute kind of lot, always there, several values" in shown[10]
    assert "2 values of category Lamps desk lamps below Lamps" in shown[12]
    assert "in order: XVIII < XIX" in shown[13]
    assert "merged domain amount into money" in shown[14]
    assert "deprecated attribute estimate" in shown[15]
    assert "no longer deprecated attribute estimate" in shown[16]
    assert "deprecated value chairs of category" in shown[18]


@pytest.mark.usefixtures("schema")
def test_what_is_read_from_the_rows_is_the_difference_of_the_two_schemas() -> None:
    for row in SchemaVersion.objects.all():
        before, after = selectors.schema_at(row.version - 1), selectors.schema_at(row.version)
        found = difference_of(row)
        added = {(each.section, each.name) for each in found.added if not each.event_type}
        gone = {(each.section, each.name) for each in found.merged}
        sections = difference(before, after)
        assert added == {(each.section, name) for each in sections for name in each.added}
        assert gone == {(each.section, name) for each in sections for name in each.removed}
        changed = {name for each in sections if each.section != "attributes" for name in each.changed}
        given = {each.event_type for each in found.added if each.event_type and not added}
        assert changed == given | ({found.values_of} if found.values and not added else set())


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize(
    "path",
    [
        *("types/nothing", "attributes/nothing", "domains/nothing", "domains/money/values", "history/1"),
        *("history/999", f"history/{10**30}", "domains/category?of=nothing", "domains/category/values?of="),
        *("types/" + "x" * 3000, "domains/category/values?of=" + "%CC%81" * 500),
    ],
)
def test_what_is_not_there_is_not_found(client: Client, path: str) -> None:
    assert client.get(f"/schema/{path}").status_code == 404


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize(
    "query",
    [
        *("from=x", "from=-1", f"from={10**30}", "from=99", "q=%00", "q=%CC%81", "q=" + "x" * 5000),
        *("q=(", "q=[a-", "q=(a%2B)%2B$", "q=%5C", "q=%25_"),
    ],
)
def test_odd_questions_are_answered(client: Client, query: str) -> None:
    for path in ("", "/domains/category", "/domains/category/values", "/history"):
        assert client.get(f"/schema{path}?{query}&page={query}&types=0&before={query}").status_code == 200


def test_hostile_names_are_shown_as_they_are_and_lead_to_their_pages(
    client: Client, read: Callable[[str], str]
) -> None:
    by = Author(None, None, f"why {HOSTILE}")
    definition = {
        "kind": "hierarchical",
        "values": {HOSTILE: None, "under": HOSTILE},
        "labels": {HOSTILE: HOSTILE},
    }
    services.create_domain(by, HOSTILE, definition)
    services.create_attribute(by, "odd", HOSTILE)
    services.create_event_type(by, HOSTILE, {"odd": ["optional", "unique"]})
    with pytest.raises(SchemaError):
        services.create_domain(by, "turned \u202e round", definition)
    first = read("/schema")
    links = set(re.findall(r'href="(/schema/[^"]+)"', first))
    for address in (
        *map(unescape, links),
        reverse("schema-domain", args=[HOSTILE]),
        f"/schema?q={HOSTILE[:8]}",
        *(f"/schema/history/{number}" for number in (2, 3, 4)),
    ):
        html = read(address)
        assert "<b onclick" not in html
    shown = read(reverse("schema-domain", args=[HOSTILE]))
    value = unescape(re.findall(r'href="([^"]+\?of=[^"]+)"', shown)[0])
    assert f"Identifier {' '.join(HOSTILE.split())}" in words(read(value))
    below = unescape(re.findall(r'hx-get="([^"]+\?of=[^"]+)"', shown)[0])
    assert "under" in words(read(below))
    assert "data-value" in read(f"{below}&pick=1")


@pytest.mark.usefixtures("schema")
def test_a_visitor_who_has_a_page_gets_it_once_until_the_schema_changes(
    client: Client, house: Publisher
) -> None:
    for path in (
        "/schema",
        "/schema/types/lot",
        "/schema/domains/category",
        "/schema/domains/category/values",
    ):
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b""), path
    services.create_attribute(Author(house.user, house), "width", "money")
    assert client.get(path, headers={"If-None-Match": first["ETag"]}).status_code == 200
    client.force_login(User.objects.create_user("reader@example.org"))
    assert "ETag" not in client.get("/schema"), "the frame of a page shows who is signed in"


def test_an_empty_schema_says_what_will_be_here(read: Callable[[str], str]) -> None:
    assert "There are none yet. The first site that publishes here brings its own" in words(read("/schema"))
    assert "The schema is still empty." in words(read("/schema/history"))
    assert words(read("/schema/domains/event_type"))


def queries(client: Client, path: str) -> int:
    selectors.current_schema()  # is in memory where transactions end
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert client.get(path).status_code == 200
    return len(seen)


@pytest.mark.usefixtures("schema")
def test_the_number_of_queries_does_not_grow_with_the_schema(client: Client, house: Publisher) -> None:
    at_most = {
        "/schema": 4,
        "/schema?q=a": 4,
        "/schema/types/lot": 5,
        "/schema/attributes/price": 4,
        "/schema/domains/category": 4,
        "/schema/domains/category?of=tables": 6,
        "/schema/domains/category/values?of=tables&pick=1": 2,
        "/schema/history": 1,
        "/schema/history/2": 6,
    }
    before = {path: queries(client, path) for path in at_most}
    assert {path: number for path, number in before.items() if number > at_most[path]} == {}
    by = Author(house.user, house)
    services.create_domain(
        by, "wide", {"kind": "enumerated", "values": [f"v{number}" for number in range(300)]}
    )
    for number in range(30):
        services.create_attribute(by, f"extra_{number}", "wide")
        services.extend_event_type(by, "lot", f"extra_{number}")
    assert {path: queries(client, path) for path in at_most} == before


def six_thousand() -> dict[str, Any]:
    """A hierarchy of the shape of real taxonomies: 20 roots, some levels, and one very wide value."""
    parents: dict[str, str | None] = {}
    for number in range(6_000):
        upper = None if number < 20 else f"c{(number - 20) // 9}"
        parents[f"c{number}"] = "c3" if 5_000 <= number < 5_900 else upper
    return {
        "kind": "hierarchical",
        "values": parents,
        "labels": {name: f"Label of {name}" for name in parents},
    }


def test_a_tree_of_six_thousand_values_stays_small_and_quick(client: Client) -> None:
    services.create_domain(Author(None), "taxonomy", six_thousand())
    services.create_attribute(Author(None), "kind", "taxonomy")
    values = "/schema/domains/taxonomy/values"
    paths = [
        *("/schema", "/schema?q=label", "/schema/domains/taxonomy", "/schema/domains/taxonomy?of=c3"),
        *(
            values,
            f"{values}?of=c3&pick=1",
            f"{values}?of=c3&from=200",
            f"{values}?q=label&pick=1",
            f"{values}?q=zz",
        ),
        "/schema/history/2",
    ]
    for path in paths:
        client.get(path)  # the index of the domain is made by the first
        with effort() as counted:
            answer = client.get(path)
        assert counted.calls < MOST_CALLS, path
        assert len(answer.content) < 200_000, path
    wide = client.get(f"{values}?of=c3&pick=1").content.decode()
    assert wide.count("data-pick") == 200
    assert "more" in wide
    seen, address = (
        set(re.findall('data-value="([^"]+)"', wide)),
        re.search(r'hx-get="([^"]+from=[^"]+)"', wide),
    )
    while address:
        page = client.get(unescape(address[1])).content.decode()
        seen |= set(re.findall('data-value="([^"]+)"', page))
        address = re.search(r'hx-get="([^"]+from=[^"]+)"', page)
    forest = selectors.current_schema().domains["taxonomy"].definition()["values"]
    assert seen == {name for name, parent in forest.items() if parent == "c3"}
    assert client.get(f"{values}?q=label&pick=1").content.decode().count("data-value") == 50
