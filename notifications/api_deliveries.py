"""REST for subscribers: what was sent to them, what came of it, and sending it again."""

from django.db.models import Prefetch
from django.utils import timezone
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching.api import NewestFirst, person
from matching.parameters import refuse_parameters_but
from matching.row_numbers import LARGEST_NUMBER
from notifications import deliveries, selectors
from notifications.api_errors import told_as_problems
from notifications.models import Attempt, Delivery
from schema_registry.accounts.permissions import SubscriberMay

NOT_THERE = gettext_lazy("There is no such delivery.")
_LOG = Prefetch("log", Attempt.objects.order_by("pk"))
PARAMETERS = ("state", "channel", "page_size", "cursor")


class DeliveryQuery(serializers.Serializer):
    state = serializers.ChoiceField(Delivery.State.values, required=False, help_text="Only those.")
    channel = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST_NUMBER, help_text="Only to this one."
    )
    page_size = serializers.CharField(required=False, help_text="Up to 500.")
    cursor = serializers.CharField(required=False, help_text="Of another page; `next` has it.")


class DeliveryDocument(serializers.ModelSerializer):
    webhook_id = serializers.SerializerMethodField(help_text="Its id on the wire, the same at every attempt.")
    next_attempt_at = serializers.SerializerMethodField(help_text="null unless it waits.")

    class Meta:
        model = Delivery
        fields: tuple[str, ...] = (
            "id",
            "webhook_id",
            "channel",
            "kind",
            "event",
            "state",
            "reason",
            "planned_at",
            "attempts",
            "next_attempt_at",
            "finished_at",
        )
        read_only_fields = fields

    def get_webhook_id(self, row: Delivery) -> str:
        return row.wire_id

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_next_attempt_at(self, row: Delivery) -> str | None:
        moment = deliveries.next_attempt(row)
        return None if moment is None else serializers.DateTimeField().to_representation(moment)


class AttemptDocument(serializers.ModelSerializer):
    class Meta:
        model = Attempt
        fields = (
            "number",
            "began_at",
            "milliseconds",
            "is_success",
            "status",
            "request",
            "response",
            "error",
        )
        read_only_fields = fields


class DeliveryWithLog(DeliveryDocument):
    log = AttemptDocument(many=True, read_only=True, help_text="Every attempt, the oldest first.")

    class Meta(DeliveryDocument.Meta):
        fields = (*DeliveryDocument.Meta.fields, "log")


class DeliveryPage(serializers.Serializer):
    """For the documentation."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = DeliveryDocument(many=True)


class DeliveriesEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="deliveries_list",
        parameters=[DeliveryQuery],
        responses={200: DeliveryPage},
        summary="Your deliveries, newest first",
    )
    def get(self, request: Request) -> Response:
        refuse_parameters_but(request, *PARAMETERS)
        query = DeliveryQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        only = {
            name: query.validated_data[name] for name in ("state", "channel") if name in query.validated_data
        }
        pages = NewestFirst()
        page = pages.paginate_queryset(selectors.deliveries_of(person(request)).filter(**only), request)
        return pages.get_paginated_response(DeliveryDocument(page, many=True).data)


class DeliveryEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(responses={200: DeliveryWithLog}, summary="One delivery, with the log of its attempts")
    def get(self, request: Request, number: int) -> Response:
        return Response(DeliveryWithLog(find(request, number)).data)


class ReplayEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="deliveries_replay",
        request=None,
        responses={202: DeliveryWithLog, 409: OpenApiResponse(description="It waits, or is not sent again.")},
        summary="Send it again, under the same id",
        description="For one that was finished 10 seconds ago or earlier, however it ended; one that waits"
        " answers 409. A mail counts as one of those that the address may get today.",
    )
    def post(self, request: Request, number: int) -> Response:
        found = find(request, number)
        try:
            with told_as_problems():
                deliveries.replay(found, now=timezone.now())
        except Delivery.DoesNotExist:  # it went with its channel after we have found it
            raise NotFound(NOT_THERE) from None
        return Response(DeliveryWithLog(find(request, number)).data, status=202)


def find(request: Request, number: int) -> Delivery:
    """The delivery, for the owner of its channel; to all others it is not there."""
    found = (
        selectors.deliveries_of(person(request))
        .filter(pk=number)
        .select_related("channel")
        .prefetch_related(_LOG)
        .first()
    )
    if found is None:
        raise NotFound(NOT_THERE)
    return found
