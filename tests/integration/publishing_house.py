"""An auction house with somebody who looks after it in the console."""

import re
from html import unescape
from typing import Any

from django.test import Client

from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named

State = Publisher.State


class House:
    """Its pages are asked for by their names below its own address."""

    def __init__(self, name: str = "Quai Noord", *, state: State = State.APPROVED) -> None:
        self.publisher = publisher_named(name, state=state)
        self.member = User.objects.create_user(f"{self.publisher.pk}@quainoord.example")
        add_member(self.publisher, self.member)
        self.client = Client()
        self.client.force_login(self.member)

    def address(self, page: str = "") -> str:
        return f"/publish/{self.publisher.pk}{page and '/'}{page}"

    def sees(self, page: str = "") -> str:
        return text(self.client.get(self.address(page)))

    def sends(self, page: str, **fields: Any) -> Any:
        return self.client.post(self.address(page), fields, follow=True)


def text(answer: Any) -> str:
    """What a person reads in it."""
    assert answer.status_code == 200
    shown = re.sub(r"<(script|title)\b.*?</\1>", " ", answer.content.decode(), flags=re.DOTALL)
    words = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", shown)))
    return re.sub(r" (?=[.,])", "", words)
