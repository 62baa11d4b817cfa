"""REST for subscribers: subscriptions taken along and brought back with the terms on which they tell."""

import time
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers

from matching import portable_api
from matching.portable import MOST_SUBSCRIPTIONS
from matching.services import Subscribed
from notifications import portable
from notifications.api_subscriptions import FREQUENCIES, REVISIONS
from schema_registry.accounts.models import User


class PortableSubscription(portable_api.PortableSubscription):
    frequency = serializers.ChoiceField(FREQUENCIES, required=False)
    revisions = serializers.ChoiceField(REVISIONS, required=False)


class PortableDocument(portable_api.PortableDocument):
    """For the documentation. Channels are no part of it: they belong to an account of this server."""

    subscriptions = PortableSubscription(
        many=True, help_text=f"At most {MOST_SUBSCRIPTIONS:,}; channels are not among it."
    )


@extend_schema_view(get=extend_schema(responses={200: PortableDocument}))
class ExportEndpoint(portable_api.ExportEndpoint):
    def document(self, owner: User, *, now: datetime) -> dict[str, Any]:
        return portable.exported(owner, now=now)


@extend_schema_view(post=extend_schema(request=PortableDocument))
class ImportEndpoint(portable_api.ImportEndpoint):
    def stored(self, owner: User, document: object, *, now: datetime) -> list[Subscribed | None]:
        return portable.imported(owner, document, now=now, clock=time.monotonic)
