"""REST for subscribers: what a text would have found lately, before it becomes a subscription."""

import time
from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import selectors
from matching.api import read
from matching.matches_api import MatchedEvent, Reason
from matching.models import PublishedEvent
from matching.previews import Preview
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.bodies import Body, Name

MOST_DAYS = 90
DEFAULT_DAYS = 30


class PreviewBody(Body):
    text = Name()
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=DEFAULT_DAYS)


class DayCount(serializers.Serializer):
    date = serializers.DateField(help_text="A day of UTC.")
    count = serializers.IntegerField()


class SampleDocument(serializers.Serializer):
    event = MatchedEvent()
    why = Reason(many=True)


class PreviewDocument(serializers.Serializer):
    count = serializers.IntegerField()
    days = DayCount(many=True, help_text="Every day of the range, oldest first.")
    samples = SampleDocument(many=True, help_text="The newest, ten at most.")
    looked_at = serializers.IntegerField(help_text="How many events were looked at.")
    complete = serializers.BooleanField(help_text="Whether these were all of the range.")
    warnings = serializers.ListField(child=serializers.CharField())


class PreviewEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="subscriptions_preview",
        request=PreviewBody,
        responses={200: PreviewDocument},
        summary="How many recent events a text would have matched",
    )
    def post(self, request: Request) -> Response:
        found = selectors.previewed(now=timezone.now(), clock=time.monotonic, **read(PreviewBody, request))
        return Response(PreviewDocument(_answer(found)).data)


def _answer(found: Preview) -> dict[str, Any]:
    events = PublishedEvent.objects.in_bulk([sample.number for sample in found.samples])
    return {
        "count": found.count,
        "days": [{"date": day, "count": count} for day, count in found.days],
        "samples": [
            {"event": events[sample.number], "why": [asdict(held) for held in sample.why]}
            for sample in found.samples
            if sample.number in events  # it may have been forgotten meanwhile
        ],
        "looked_at": found.looked_at,
        "complete": found.complete,
        "warnings": found.warnings,
    }
