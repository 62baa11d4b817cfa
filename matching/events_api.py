"""REST for publishers: publish an event, ask what became of it, withdraw it."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from matching import metrics, services, wakeups
from matching.dry_run import match_count
from matching.envelopes import InvalidEnvelope, read_envelope
from matching.intake import checked, foreseen, publish
from matching.models import IdempotencyKey, PublishedEvent
from matching.parameters import DRY_RUN, is_dry_run, refuse_parameters_but
from matching.revisions import Ready
from matching.shedding import refuse_when_overloaded
from matching.traffic.noting import Refusals
from schema_registry.accounts.models import ApiKey, Publisher, Scope
from schema_registry.accounts.permissions import publisher_may, publisher_of
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _
from schema_registry.selectors import current_schema

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="Sending it again has no further effect."
)


_LONGEST_KEY = IdempotencyKey._meta.get_field("key").max_length or 0


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


class DryRun(serializers.Serializer):
    dry_run = serializers.BooleanField(help_text="Always true: nothing was stored.")
    match_count = serializers.IntegerField(help_text="The subscriptions it would match now.")
    would_be = serializers.ChoiceField(["new", "revision", "repeat"], help_text="What it is to its item.")


class EventDocument(serializers.ModelSerializer):
    reason = serializers.CharField(source="why_parked", read_only=True)

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


class EventList(serializers.Serializer):
    """For the documentation."""

    next = serializers.URLField(allow_null=True, help_text="Always null: these are all.")
    results = EventDocument(many=True)


class EventsEndpoint(APIView):
    permission_classes = (publisher_may(Scope.EVENTS),)
    sent_body = b""  # the parser puts it here

    @extend_schema(
        parameters=[IDEMPOTENCY_KEY, DRY_RUN],
        request=EnvelopeBody,
        responses={202: Accepted, 200: DryRun},
        summary="Publish an event",
    )
    def post(self, request: Request) -> Response:
        publisher = acting(request)
        if is_dry_run(request):
            return Response(_tried(publisher, request))
        refuse_when_overloaded()
        try:
            ready = _ready(publisher, request)
            taken = publish(publisher, ready, now=timezone.now(), idempotency_key=_idempotency_key(request))
        except InputError as error:
            metrics.count_rejection(error)
            refusals = Refusals(publisher.pk, key_prefix=key_prefix(request), via="api")
            refusals.add(error, self.sent_body)
            refusals.send(now=timezone.now())
            raise
        metrics.ACCEPTED.inc(not taken.is_repeat)
        wakeups.wake_matchers()
        answer = {"id": taken.number, "status_url": reverse("event", [taken.number], request=request)}
        return Response(answer, status=202)

    @extend_schema(
        operation_id="events_list",
        parameters=[OpenApiParameter("external_id", str, required=True)],
        responses={200: EventList},
        summary="The newest revisions of one of your items, at most 100, newest first",
    )
    def get(self, request: Request) -> Response:
        wanted = request.query_params.get("external_id")
        if wanted is None:
            raise ValidationError({"external_id": _("Say of which item.")})
        mine = PublishedEvent.objects.filter(publisher=acting(request))
        # No id has NUL, which PostgreSQL does not even look for.
        found = mine.none() if "\0" in wanted else mine.filter(external_id=wanted).order_by("-revision")
        return Response({"results": EventDocument(found[:100], many=True).data, "next": None})


class EventEndpoint(APIView):
    permission_classes = (publisher_may(Scope.EVENTS),)

    @extend_schema(responses={200: EventDocument}, summary="What became of an event")
    def get(self, request: Request, number: int) -> Response:
        return Response(EventDocument(find(request, number)).data)

    @extend_schema(responses={204: None}, summary="Withdraw an event")
    def delete(self, request: Request, number: int) -> Response:
        refuse_parameters_but(request)
        services.withdraw(find(request, number))
        return Response(status=204)


def _ready(publisher: Publisher, request: Request) -> Ready:
    return checked(publisher, read_envelope(request.data), current_schema())


def _tried(publisher: Publisher, request: Request) -> dict[str, Any]:
    """A dry run: what publishing would come to."""
    ready = _ready(publisher, request)
    decision = foreseen(publisher, ready, idempotency_key=_idempotency_key(request))
    would_be = "repeat" if decision.is_repeat else "new" if decision.is_first else "revision"
    return {"dry_run": True, "match_count": match_count(ready, now=timezone.now()), "would_be": would_be}


def _idempotency_key(request: Request) -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not 1 <= len(key) <= _LONGEST_KEY:
        message = _("This must have 1 to {most} characters.", most=_LONGEST_KEY)
        raise InvalidEnvelope({"Idempotency-Key": message})
    return key


def find(request: Request, number: int) -> PublishedEvent:
    event = PublishedEvent.objects.filter(publisher=acting(request), pk=number).first()
    if event is None:
        raise NotFound(_("There is no such event."))
    return event


def key_prefix(request: Request) -> str:
    """By which its owner tells the key from others."""
    return request.auth.prefix if isinstance(request.auth, ApiKey) else ""


def acting(request: Request) -> Publisher:
    publisher = publisher_of(request)
    assert publisher is not None, "the permission class has seen to it"
    return publisher
