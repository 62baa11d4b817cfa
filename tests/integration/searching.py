"""The page of a search as tests use it: items to find, and buttons pressed without scripts."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from matching.models import PublishedEvent
from tests.integration.collector import item
from tests.integration.plain_forms import PlainForm

NEW = "/searches/new"
FORM = "search-form"


def published(name: str, *, days_ago: int = 0, **attributes: Any) -> PublishedEvent:
    event = item(name, attributes=attributes, price=attributes.pop("price", 180))
    event.accepted_at = timezone.now() - timedelta(days=days_ago)
    event.save()
    return event


def posted(client: Client, form: PlainForm, do: str, **changed: Any) -> PlainForm:
    answer = client.post(NEW, form.sent(do=do, **changed))
    assert answer.status_code == 200
    return PlainForm(answer.content.decode(), FORM)
