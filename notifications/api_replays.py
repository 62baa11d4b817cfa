"""REST for subscribers: sending again what a webhook was sent in a span of time."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching.api import read
from matching.parameters import DRY_RUN, is_dry_run, refuse_parameters_but
from notifications import replays
from notifications.api_channels import NOT_NOW, find, of_mine
from notifications.api_errors import told_as_problems
from notifications.models import Channel, Replay
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.bodies import Body

NONE_THERE = gettext_lazy("Nothing was sent again to this channel.")
_FROM = "from"  # a word that Python keeps for itself


class AskedSpan(Body):
    until = serializers.DateTimeField(help_text="This moment is not part of it.")

    def get_fields(self) -> dict[str, Any]:
        begin = serializers.DateTimeField(help_text="As `planned_at` of a delivery has it.")
        return {_FROM: begin, **super().get_fields()}


class Foreseen(serializers.Serializer):
    dry_run = serializers.BooleanField(help_text="Always true: nothing is sent.")
    deliveries = serializers.IntegerField(help_text=f"More than {replays.MOST:,} are refused.")


class ReplayDocument(serializers.ModelSerializer):
    deliveries = serializers.IntegerField(source="total", help_text="How many are sent again.")
    begun = serializers.IntegerField(help_text="How many of them are on their way, or have arrived.")
    state = serializers.SerializerMethodField()

    class Meta:
        model = Replay
        fields: tuple[str, ...] = ("id", "until", "state", "deliveries", "begun", "asked_at", "finished_at")
        read_only_fields = fields

    def get_fields(self) -> dict[str, Any]:
        return {_FROM: serializers.DateTimeField(source="since", read_only=True), **super().get_fields()}

    @extend_schema_field(serializers.ChoiceField(["under_way", "done", "stopped"]))
    def get_state(self, row: Replay) -> str:
        if row.finished_at is None:
            return "under_way"
        return "stopped" if row.is_stopped else "done"


class RangeReplayEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="channels_replay_status",
        responses={200: ReplayDocument},
        summary="How far the last replay of this channel is",
    )
    def get(self, request: Request, number: int) -> Response:
        refuse_parameters_but(request)
        latest = replays.latest(find(request, number))
        if latest is None:
            raise NotFound(NONE_THERE)
        return Response(ReplayDocument(latest).data)

    @extend_schema(
        operation_id="channels_replay",
        request=AskedSpan,
        parameters=[DRY_RUN],
        responses={200: Foreseen, 202: ReplayDocument, 409: NOT_NOW},
        summary="Send again what a webhook was sent in a span of time",
        description="Matches, digests and notices that were planned in it, under the ids they had, the oldest"
        " first and some at a time, so that new ones do not wait. What is withdrawn or over is left out."
        " To ask for the same again while it is under way changes nothing; for another span it is 409.",
    )
    def post(self, request: Request, number: int) -> Response:
        is_dry = is_dry_run(request)
        asked = read(AskedSpan, request)

        def do(channel: Channel) -> Response:
            span = replays.span_of(asked[_FROM], asked["until"])
            if is_dry:
                return Response({"dry_run": True, "deliveries": replays.find(channel, span).total})
            begun = replays.begin(channel, span, now=timezone.now())
            return Response(ReplayDocument(begun).data, status=202)

        answer: Response = of_mine(request, number, do)
        return answer

    @extend_schema(
        operation_id="channels_replay_stop",
        responses={204: None},
        summary="Stop sending again; what is on its way goes on",
    )
    def delete(self, request: Request, number: int) -> Response:
        with told_as_problems():
            replays.stop(find(request, number), now=timezone.now())
        return Response(status=204)
