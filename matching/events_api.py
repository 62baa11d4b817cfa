"""REST for publishers: publish an event, ask what became of it, withdraw it."""

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from matching import metrics, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.models import PublishedEvent
from matching.wakeups import wake_matchers
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.permissions import publisher_may, publisher_of
from schema_registry.core.errors import InputError
from schema_registry.selectors import current_schema

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="Sending it again has no further effect."
)


class EnvelopeBody(serializers.Serializer):
    """For the documentation; `envelopes` reads it."""

    external_id = serializers.CharField(max_length=200)
    event = serializers.DictField()
    revision = serializers.IntegerField(required=False, min_value=1)
    view = serializers.CharField(required=False)
    title = serializers.CharField(required=False, max_length=500)
    url = serializers.URLField(required=False, max_length=2_000)
    image_url = serializers.URLField(required=False, max_length=2_000)
    ends_at = serializers.DateTimeField(required=False)


class Accepted(serializers.Serializer):
    id = serializers.IntegerField()
    status_url = serializers.URLField()


class EventDocument(serializers.ModelSerializer):
    class Meta:
        model = PublishedEvent
        fields = (
            "id",
            "external_id",
            "revision",
            "state",
            "reason",
            "match_count",
            "accepted_at",
            "matched_at",
            "title",
            "url",
            "image_url",
            "ends_at",
            "document",
        )
        read_only_fields = fields


class EventsEndpoint(APIView):
    permission_classes = (publisher_may(Scope.EVENTS),)

    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        request=EnvelopeBody,
        responses={202: Accepted},
        summary="Publish an event",
    )
    def post(self, request: Request) -> Response:
        publisher = acting(request)
        key = request.headers.get("Idempotency-Key")
        try:
            ready = checked(publisher, read_envelope(request.data), current_schema())
            taken = publish(publisher, ready, now=timezone.now(), idempotency_key=key)
        except InputError as error:
            metrics.count_rejection(error)
            raise
        metrics.ACCEPTED.inc(not taken.is_repeat)
        transaction.on_commit(wake_matchers)
        answer = {"id": taken.number, "status_url": reverse("event", [taken.number], request=request)}
        return Response(Accepted(answer).data, status=202)

    @extend_schema(
        parameters=[OpenApiParameter("external_id", str, required=True)],
        responses={200: EventDocument(many=True)},
        summary="The revisions of one of your items, newest first",
    )
    def get(self, request: Request) -> Response:
        mine = PublishedEvent.objects.filter(publisher=acting(request))
        found = mine.filter(external_id=request.query_params.get("external_id", "")).order_by("-revision")
        return Response({"results": EventDocument(found[:100], many=True).data, "next": None})


class EventEndpoint(APIView):
    permission_classes = (publisher_may(Scope.EVENTS),)

    @extend_schema(responses={200: EventDocument}, summary="What became of an event")
    def get(self, request: Request, number: int) -> Response:
        return Response(EventDocument(find(request, number)).data)

    @extend_schema(responses={204: None}, summary="Withdraw an event")
    def delete(self, request: Request, number: int) -> Response:
        services.withdraw(find(request, number))
        return Response(status=204)


def find(request: Request, number: int) -> PublishedEvent:
    event = PublishedEvent.objects.filter(publisher=acting(request), pk=number).first()
    if event is None:
        raise NotFound("There is no such event.")
    return event


def acting(request: Request) -> Publisher:
    publisher = publisher_of(request)
    assert publisher is not None, "the permission class has seen to it"
    return publisher
