"""REST for subscribers: take your subscriptions with you, and bring them back."""

import time
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import selectors, services
from matching.api import STATES_SHOWN, person
from matching.portable import FORMAT, MOST_SUBSCRIPTIONS, VERSION, InvalidImport, exported, read_document
from matching.services import Subscribed
from schema_registry.accounts.models import User
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.core.errors import InputError
from schema_registry.problems import Refused, entries
from schema_registry.selectors import current_schema

FILE_NAME = "lesubscribe-subscriptions.json"
LARGEST_BODY = 8_000_000
MOST_ITEMS = 300_000


class PortableSubscription(serializers.Serializer):
    name = serializers.CharField(allow_blank=True, max_length=200)
    text = serializers.CharField()
    state = serializers.ChoiceField(STATES_SHOWN)
    expires_at = serializers.DateTimeField(allow_null=True, help_text="null means never.")


class PortableDocument(serializers.Serializer):
    """For the documentation; `portable` reads and writes it."""

    format = serializers.ChoiceField([FORMAT])
    version = serializers.ChoiceField([VERSION])
    exported_at = serializers.DateTimeField()
    subscriptions = PortableSubscription(many=True, help_text=f"At most {MOST_SUBSCRIPTIONS:,}.")


class ImportedSubscription(serializers.Serializer):
    index = serializers.IntegerField(help_text="Its place in the document, from 0.")
    id = serializers.IntegerField()
    ticket = serializers.CharField(help_text="Shown this once. It alone permits renewing or cancelling.")
    warnings = serializers.ListField(child=serializers.CharField())


class ImportAnswer(serializers.Serializer):
    imported = serializers.IntegerField()
    skipped = serializers.IntegerField(help_text="Those you had already, with the same name and meaning.")
    subscriptions = ImportedSubscription(many=True)


class RefusedImport(Refused):
    """Each fault with its place in the document and, where there is one, its place in the text."""

    def __init__(self, error: InvalidImport) -> None:
        super().__init__(error)
        self.errors = [_entry(place, fault) for place, fault in error.found.items()]


class ExportEndpoint(APIView):
    # An app above us may add to what is written of each subscription; a docstring would be in the reference.
    permission_classes = (SubscriberMay,)

    def document(self, owner: User, *, now: datetime) -> dict[str, Any]:
        return exported(selectors.subscriptions_of(owner).order_by("pk"), now=now)

    @extend_schema(
        operation_id="subscriptions_export",
        responses={200: PortableDocument},
        summary="All your subscriptions as a file",
    )
    def get(self, request: Request) -> Response:
        headers = {"Content-Disposition": f'attachment; filename="{FILE_NAME}"'}
        return Response(self.document(person(request), now=timezone.now()), headers=headers)


class ImportEndpoint(APIView):
    # An app above us may read more of each subscription, and keep it.
    permission_classes = (SubscriberMay,)
    largest_body = LARGEST_BODY
    most_items = MOST_ITEMS

    def stored(self, owner: User, document: object, *, now: datetime) -> list[Subscribed | None]:
        drafts = read_document(document, current_schema(), now=now, clock=time.monotonic)
        return services.subscribe_missing(owner, drafts, now=now)

    @extend_schema(
        operation_id="subscriptions_import",
        request=PortableDocument,
        responses={201: ImportAnswer},
        summary="Bring subscriptions back that were exported; all or nothing",
    )
    def post(self, request: Request) -> Response:
        owner, now = person(request), timezone.now()
        try:
            stored = self.stored(owner, request.data, now=now)
        except InvalidImport as error:
            raise RefusedImport(error) from None
        imported = [
            {"index": index, "id": made.subscription.pk, "ticket": made.ticket, "warnings": made.warnings}
            for index, made in enumerate(stored)
            if made is not None
        ]
        answer = {
            "imported": len(imported),
            "skipped": len(stored) - len(imported),
            "subscriptions": imported,
        }
        return Response(ImportAnswer(answer).data, status=201)


def _entry(place: str, fault: InputError) -> dict[str, Any]:
    (entry,) = entries(fault) or [{"code": "invalid", "detail": str(fault)}]
    return {**entry, "field": place}
