"""Who may look, who may change, and that nobody deletes."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from schema_registry import selectors, services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.models import Domain
from tests.integration.admin.pages import (
    NO_ROWS,
    PARTS,
    address,
    ask,
    newest,
    one_of_each_part,
    text,
)

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def staff_who_may(*codenames: str) -> User:
    user = User.objects.create_user("some@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


@pytest.mark.usefixtures("schema")
def test_who_may_only_look_can_browse_but_not_change(client: Client) -> None:
    client.force_login(staff_who_may(*(f"view_{part}" for part in PARTS)))
    domain = Domain.objects.get(name="furniture")
    assert client.get(address("domain", "changelist")).status_code == 200
    seen = client.get(address("domain", "change", domain.pk)).content.decode()
    assert "Tables" in seen
    assert "add-values" not in seen
    assert client.get(address("domain", "add")).status_code == 403
    assert client.post(address("domain", "change", domain.pk), {"name": "x"}).status_code == 403
    for question in ("add-values", "deprecate", "restore", "merge"):
        assert client.get(ask(question, domain)).status_code == 403
        assert client.post(ask(question, domain)).status_code == 403
    action = {"action": "deprecate", "_selected_action": [domain.pk], "index": 0}
    client.post(address("domain", "changelist"), action)
    assert newest().version == 8


@pytest.mark.usefixtures("schema")
def test_who_may_change_is_asked_and_who_may_add_adds(client: Client) -> None:
    client.force_login(staff_who_may("view_domain", "change_domain", "add_eventtype"))
    assert client.get(ask("deprecate", Domain.objects.get(name="money"))).status_code == 200
    assert client.get(address("domain", "add")).status_code == 403
    assert client.post(address("eventtype", "add"), {"name": "new", **NO_ROWS}).status_code == 302
    assert "new" in selectors.current_schema().event_types


@pytest.mark.usefixtures("schema")
def test_staff_without_any_right_see_nothing(client: Client) -> None:
    client.force_login(staff_who_may())
    assert "Event schema" not in text(client.get(reverse("admin:index")))
    for part in PARTS:
        assert client.get(address(part, "changelist")).status_code == 403


@pytest.mark.usefixtures("schema")
def test_nothing_can_be_deleted_nor_edited_even_by_a_superuser(page: Client) -> None:
    publisher = publisher_named("Drouot", state=Publisher.State.APPROVED)
    view = services.create_view(publisher, "sales", ["furniture"], ["price", "category"])
    for row in (*one_of_each_part(), view, newest()):
        part = row._meta.model_name
        assert page.post(address(part, "delete", row.pk), {"post": "yes"}).status_code == 403
        assert page.post(address(part, "change", row.pk), {"name": "other"}).status_code == 403
        action = {"action": "delete_selected", "_selected_action": [row.pk], "index": 0, "post": "yes"}
        page.post(address(part, "changelist"), action)
        assert "Delete" not in text(page.get(address(part, "change", row.pk)))
        row.refresh_from_db()
    assert newest().version == 8


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize("ids", ["", "x", "1,,2", "1;2", ",".join(["1"] * 101), "٣", "9" * 40])
def test_a_question_about_no_rows_is_not_there(page: Client, ids: str) -> None:
    assert page.get(address("domain", "ask", "deprecate"), {"ids": ids}).status_code == 404


@pytest.mark.usefixtures("schema")
def test_a_question_about_rows_that_are_gone_leads_back_to_the_list(page: Client) -> None:
    answer = page.get(address("domain", "ask", "deprecate"), {"ids": "999999"}, follow=True)
    assert "There is nothing like that any more." in text(answer)
    assert page.get(address("domain", "ask", "explode"), {"ids": "1"}).status_code == 404
