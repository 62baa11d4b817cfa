"""The page to say what one looks for: building it with and without scripts, mistakes, saving."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from matching import services
from matching.models import Match, Subscription
from notifications.core.policy import Frequency, Revisions
from notifications.models import Terms
from schema_registry.accounts.models import User
from tests.integration.collector import Collector
from tests.integration.plain_forms import PlainForm, opened
from tests.integration.searching import FORM, NEW, posted, published

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def reader(client: Client, collector: Collector) -> Client:
    client.force_login(collector.user)
    return client


def with_row(
    client: Client, form: PlainForm, path: str, attribute: str, value: str, **fields: Any
) -> PlainForm:
    """Choose the attribute, and then fill in what is asked."""
    form = posted(client, form, "show", **{f"attribute.{path}": attribute})
    return posted(client, form, "show", **{f"value.{path}": value}, **fields)


def step(client: Client, form: PlainForm, trigger: str, do: str = "", **changed: Any) -> str:
    """What the page's scripts are answered."""
    headers = {"HX-Request": "true", "HX-Trigger": trigger}
    answer = client.post("/searches/form", form.sent(do=do, **changed), headers=headers)
    assert answer.status_code == 200
    assert answer.headers["HX-Trigger-After-Swap"] == "lesubscribe:built"
    return answer.content.decode()


# Building without scripts ---------------------------------------------------------------------------------


def test_a_search_is_built_row_by_row_and_saved(reader: Client, collector: Collector) -> None:
    form = opened(reader, NEW, FORM)
    form = with_row(reader, form, "0.0", "category", "Tables")
    assert form.options["operator.0.0"][:2] == ["<=", "="]
    assert form.value("text") == "category <= Tables"
    form = posted(reader, form, "add-row 0")
    form = with_row(reader, form, "0.1", "price", "200")
    assert form.value("text") == "category <= table and price <= 200"
    answer = reader.post(NEW, form.sent(do="save", name="Tables", valid="90", frequency="daily"))
    assert answer.headers["Location"] == "/searches"
    saved = Subscription.objects.get()
    assert (saved.name, saved.canonical) == ("Tables", "category <= table and price <= 200")
    assert saved.expires_at is not None
    assert saved.expires_at - saved.created_at == timedelta(days=90)
    assert Terms.objects.get().frequency == Frequency.DAILY


def test_groups_are_added_nested_changed_and_removed(reader: Client) -> None:
    form = with_row(reader, opened(reader, NEW, FORM), "0.0", "price", "200")
    form = posted(reader, form, "add-any 0")
    form = with_row(reader, form, "0.1.0", "title", "oak")
    form = posted(reader, form, "add-row 0.1")
    form = with_row(reader, form, "0.1.1", "title", "elm")
    assert form.value("text") == "price <= 200 and (title contains oak or title contains elm)"
    form = posted(reader, form, "show", **{"is.0.1": "none"})
    assert form.value("text") == "price <= 200 and not (title contains oak or title contains elm)"
    form = posted(reader, form, "add-all 0.1")
    assert "add-row 0.1.2" in form.buttons
    assert "add-any 0.1.2" not in form.buttons  # three levels are enough
    form = posted(reader, form, "remove 0.1")
    assert form.value("text") == "price <= 200"


def test_a_row_is_excluded(reader: Client) -> None:
    form = with_row(reader, opened(reader, NEW, FORM), "0.0", "title", "oak", **{"not.0.0": "on"})
    assert form.value("text") == "not title contains oak"


def test_another_attribute_takes_other_operators_and_forgets_the_values(reader: Client) -> None:
    form = with_row(reader, opened(reader, NEW, FORM), "0.0", "price", "200")
    form = posted(reader, form, "show", **{"attribute.0.0": "title"})
    assert form.options["operator.0.0"] == ["contains", "exists"]
    assert form.value("value.0.0") == ""
    assert form.value("text") == ""


def test_every_operator_has_its_fields(reader: Client) -> None:
    form = posted(reader, opened(reader, NEW, FORM), "show", **{"attribute.0.0": "price"})
    form = posted(reader, form, "show", **{"operator.0.0": "between"})
    assert form.fields["value.0.0"] == ["", ""]
    form = posted(reader, form, "show", **{"value.0.0": ["100", "200"]})
    assert form.value("text") == "price between 100 and 200"
    form = posted(reader, form, "show", **{"operator.0.0": "in"})
    assert form.fields["value.0.0"] == ["100", "200", ""]
    form = posted(reader, form, "show", **{"operator.0.0": "exists"})
    assert "value.0.0" not in form.fields
    assert form.value("text") == "price exists"


def test_the_text_is_changed_and_the_rows_follow(reader: Client) -> None:
    form = with_row(reader, opened(reader, NEW, FORM), "0.0", "price", "200")
    form = posted(reader, form, "show", text="price <= 300\r\nand material in (oak, 'red elm')")
    assert form.value("value.0.0") == "300"
    assert form.fields["value.0.1"] == ["oak", "red elm", ""]


def test_what_the_form_cannot_show_stays_text_and_says_so(reader: Client) -> None:
    deep = "price > 1 and (price > 2 or (price > 3 and (price > 4 or price > 5)))"
    page = reader.get(NEW, {"text": deep}).content.decode()
    assert "The form cannot show this part" in page
    form = PlainForm(page, FORM)
    assert form.value("raw.0.1.1.1") == "price > 4 or price > 5"
    form = posted(reader, form, "add-row 0")
    assert form.value("text") == deep


# What is wrong --------------------------------------------------------------------------------------------


def test_a_mistake_stands_beside_its_row_in_the_words_of_the_language(reader: Client) -> None:
    form = with_row(reader, opened(reader, NEW, FORM), "0.0", "price", "cheap")
    assert form.errors["0-0"] == "price: 'cheap' is not a number."


def test_what_is_not_done_is_no_mistake_until_it_is_saved(reader: Client) -> None:
    form = with_row(reader, opened(reader, NEW, FORM), "0.0", "price", "200")
    form = posted(reader, form, "add-row 0")
    form = posted(reader, form, "show", **{"attribute.0.1": "title"})
    assert form.errors["0-1"] == ""
    form = posted(reader, form, "save")
    assert "Something is missing" in form.errors["0-1"]
    assert not Subscription.objects.exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("price <= 200 and", "The text of your search has a mistake"),
        ("price < 5 and price > 9", "can never hold at once. No event can match."),
        ("pric <= 200", "something is wrong with a condition"),
        ("", "Say what you look for first"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing_behind(reader: Client, text: str, says: str) -> None:
    form = opened(reader, NEW, FORM)
    answer = reader.post(NEW, form.sent(do="save", text=text, name="Mine"))
    assert answer.status_code == 200
    page = answer.content.decode()
    assert says in page
    assert PlainForm(page, FORM).value("name") == "Mine"
    assert PlainForm(page, FORM).value("text") == text
    assert not Subscription.objects.exists()


def test_a_bad_text_in_the_address_is_shown_with_its_mistake(reader: Client) -> None:
    answer = reader.get(NEW, {"text": "price <= 200 and", "name": "Cheap"})
    page = answer.content.decode()
    assert PlainForm(page, FORM).value("text") == "price <= 200 and"
    assert PlainForm(page, FORM).value("name") == "Cheap"
    assert 'aria-invalid="true"' in page


def test_too_many_searches_are_refused_in_a_clear_sentence(
    reader: Client, collector: Collector, settings: Settings
) -> None:
    settings.MOST_SUBSCRIPTIONS_PER_OWNER = 1
    collector.searches()
    form = opened(reader, f"{NEW}?text=price+exists", FORM)
    answer = reader.post(NEW, form.sent(do="save"))
    assert "You may have 1 searches; this would be too many. Delete some first." in answer.content.decode()


def test_a_channel_of_somebody_else_cannot_be_chosen(reader: Client, collector: Collector) -> None:
    other = Collector.__new__(Collector)
    other.user = User.objects.create_user("other@example.org")
    theirs = other.adds_channel("other@example.org")
    form = opened(reader, f"{NEW}?text=price+exists", FORM)
    answer = reader.post(NEW, form.sent(do="save", channels=[str(theirs.pk)]))
    assert answer.status_code == 200
    assert not Subscription.objects.exists()


def test_hostile_fields_do_no_harm(reader: Client) -> None:
    form = opened(reader, NEW, FORM)
    hostile = {
        "is.0": "none",
        "is.0.0": "row",
        "is.0.999999999999": "all",
        "is.x.y": "row",
        "attribute.0.0": "price exists or price",
        "operator.0.0": "<= 5 or price <=",
        "value.0.0": "<script>alert(1)</script>\0",
        "is.0.1": "raw",
        "raw.0.1": "a) or (b",
        "do": "remove 0.7.7",
    }
    answer = reader.post(NEW, {**form.sent(), **hostile})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.content.decode()
    for do in ("add-any 9", "remove 0", "add-row x", "?"):
        assert reader.post(NEW, {**form.sent(), "do": do}).status_code == 200


# Saving and changing --------------------------------------------------------------------------------------


def test_an_edit_shows_what_it_was_and_keeps_its_state(reader: Client, collector: Collector) -> None:
    search = collector.searches("category <= table and price <= 200", name="Tables")
    services.change(search, now=timezone.now(), state=Subscription.State.MUTED)
    Terms.objects.create(subscription=search, frequency=Frequency.WEEKLY, revisions=Revisions.ALWAYS)
    Subscription.objects.update(expires_at=timezone.now() + timedelta(days=9))
    before = Subscription.objects.get().expires_at
    address = f"/searches/{search.pk}"
    page = reader.get(address).content.decode()
    assert "muted" in page
    form = PlainForm(page, FORM)
    assert (form.value("name"), form.value("frequency"), form.value("valid")) == ("Tables", "weekly", "keep")
    assert form.fields["value.0.0"][0] == "table"
    answer = reader.post(address, form.sent(do="save", **{"value.0.1": "150"}, channels=[]))
    assert answer.headers["Location"] == "/searches"
    search.refresh_from_db()
    assert search.text == "category <= table and price <= 150"
    assert (search.state, search.expires_at) == (Subscription.State.MUTED, before)
    terms = Terms.objects.get()
    assert (terms.frequency, terms.every_channel) == (Frequency.WEEKLY, False)


def test_an_expired_search_goes_on_when_it_is_saved(reader: Client, collector: Collector) -> None:
    search = collector.searches()
    Subscription.objects.update(expires_at=timezone.now() - timedelta(days=1))
    form = opened(reader, f"/searches/{search.pk}", FORM)
    assert "keep" not in form.options["valid"]
    reader.post(f"/searches/{search.pk}", form.sent(do="save", valid="endless"))
    search.refresh_from_db()
    assert search.expires_at is None


def test_what_was_found_lately_is_put_into_the_feed(reader: Client, collector: Collector) -> None:
    published("a", days_ago=2)
    published("b", days_ago=1, price=999)
    form = opened(reader, f"{NEW}?text=price+<=+200", FORM)
    answer = reader.post(NEW, form.sent(do="save", existing="on"), follow=True)
    assert answer.redirect_chain == [("/feed", 302)]
    assert "1 find is in your feed." in answer.content.decode()
    assert Match.objects.get().event.external_id == "a"


def test_a_search_of_somebody_else_is_not_there(client: Client, collector: Collector) -> None:
    search = collector.searches()
    client.force_login(User.objects.create_user("other@example.org"))
    for number in (search.pk, search.pk + 1_000, 10**30):
        assert client.get(f"/searches/{number}").status_code == 404
        assert client.post(f"/searches/{number}", {"do": "save"}).status_code == 404


def test_a_visitor_is_asked_to_sign_in(client: Client) -> None:
    for address in (NEW, "/searches/1", "/searches/attributes"):
        assert client.get(address).headers["Location"].startswith("/accounts/login/")
    for address in ("/searches/form", "/searches/preview"):
        assert client.post(address).headers["Location"].startswith("/accounts/login/")


# As scripts ask -------------------------------------------------------------------------------------------


def test_while_somebody_types_no_field_is_sent_back(reader: Client) -> None:
    form = with_row(reader, opened(reader, NEW, FORM), "0.0", "price", "200")
    answer = step(reader, form, "typing", **{"value.0.0": "x"})
    assert 'id="rows"' not in answer
    assert PlainForm(answer, FORM).errors["0-0"] == "price: 'x' is not a number."
    answer = step(reader, form, "typing", **{"value.0.0": "250"})
    assert 'name="text_was" id="text-was" value="price &lt;= 250"' in answer
    assert "price at most 250 EUR" in answer  # the name it would get


def test_a_change_of_the_text_sends_the_rows_and_a_mistake_leaves_them(reader: Client) -> None:
    form = opened(reader, f"{NEW}?text=price+exists", FORM)
    assert 'value="300"' in step(reader, form, "as-text", text="price <= 300")
    answer = step(reader, form, "as-text", text="price <=")
    assert 'id="rows"' not in answer
    assert "those from before" in answer


def test_a_new_row_has_the_focus(reader: Client) -> None:
    form = opened(reader, f"{NEW}?text=price+exists", FORM)
    answer = step(reader, form, "add-0", do="add-row 0")
    assert answer.count("autofocus") == 1
    assert 'id="rows"' in answer


def test_a_proposed_text_is_shown_for_the_search_and_changes_it_only_when_saved(
    reader: Client, collector: Collector
) -> None:
    search = collector.searches("price <= 200", name="Cheap")
    proposed = "price <= 200 and not title contains oak"
    address = f"/searches/{search.pk}"
    page = reader.get(address, {"text": proposed}).content.decode()
    assert "This is a proposal" in page
    search.refresh_from_db()
    assert search.text == "price <= 200"
    reader.post(address, PlainForm(page, FORM).sent(do="save"))
    search.refresh_from_db()
    assert (search.name, search.text) == ("Cheap", proposed)
