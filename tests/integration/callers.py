"""Calls of the API as a subscriber's program makes them."""

import json
from collections.abc import Callable
from typing import Any

from django.test import Client

from schema_registry.accounts.models import Scope, User
from schema_registry.accounts.services import issue_key

Call = Callable[..., Any]
PROBLEM = "urn:lesubscribe:problem:"


def key_of(email: str) -> str:
    user, _ = User.objects.get_or_create(email=email)
    return issue_key(user, [Scope.SUBSCRIPTIONS])[1]


def caller(client: Client, *, key: str) -> Call:
    """Sends with this key, unless another is given; None sends none."""
    mine = key

    def send(method: str, path: str, document: Any = None, *, key: str | None = mine) -> Any:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return client.generic(
            method,
            f"/api/v1/{path}",
            b"" if document is None else body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )

    return send
