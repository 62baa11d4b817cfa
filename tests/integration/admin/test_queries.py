"""The address of a page of the administration may ask what is offered, and nothing that is not shown."""

import pytest
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Field
from django.test import Client
from django.urls import reverse

from lesubscribe.admin_queries import _offered
from schema_registry.accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("staff@example.org", "a long sentence of mine"))
    return client


def pages() -> list[ModelAdmin]:
    return [page for model, page in admin.site._registry.items() if model._meta.managed]


def address(page: ModelAdmin, what: str) -> str:
    return reverse(f"admin:{page.opts.app_label}_{page.opts.model_name}_{what}")


def test_no_list_can_be_asked_for_what_it_does_not_offer(staff: Client) -> None:
    asked = []
    for page in pages():
        answer = staff.get(address(page, "changelist"))
        if answer.status_code != 200:
            continue  # there is one row only, whose page this leads to
        request = answer.wsgi_request
        for field in page.opts.get_fields():
            is_own = isinstance(field, Field) and not (field.is_relation or field.primary_key)
            if is_own and field.name not in _offered(page, request):
                query = f"{address(page, 'changelist')}?{field.name}__startswith=a"
                asked.append(query.rpartition("/")[2])
                assert staff.get(query).status_code == 400, query
    assert {"?session_key__startswith=a", "?secret__startswith=a", "?digest__startswith=a"} <= set(asked)


@pytest.mark.parametrize(
    "query",
    [
        "matching/publishedevent/?state__exact=parked",
        "notifications/delivery/?channel__id__exact=1",
        "matching/match/?event__id__exact=1",
        "notifications/channel/?failing=yes",
        "accounts/user/?is_staff__exact=1",
        "accounts/user/?id__exact=1",
    ],
)
def test_what_pages_and_filters_ask_is_answered(staff: Client, query: str) -> None:
    assert staff.get(f"/admin/{query}").status_code == 200


@pytest.mark.parametrize("value", ["abc", "1,x", "9" * 400])
def test_a_form_is_shown_whatever_its_address_fills_in(staff: Client, value: str) -> None:
    for page in pages():
        request = staff.get(address(page, "changelist")).wsgi_request
        if page.has_add_permission(request):
            query = "&".join(f"{field.name}={value}" for field in page.opts.get_fields())
            assert staff.get(f"{address(page, 'add')}?{query}").status_code in (200, 400), (page, query)
