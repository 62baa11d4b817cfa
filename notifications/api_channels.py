"""REST for subscribers: the channels they are told on."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from matching.api import person, read
from matching.parameters import refuse_parameters_but
from notifications import channels, selectors
from notifications.api_errors import told_as_problems
from notifications.models import Channel
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.bodies import Body, Name

NOT_THERE = gettext_lazy("There is no such channel.")
MOST_PER_DAY = 100_000
STATES_TO_CHOOSE = ("active", "disabled")


NOT_NOW = OpenApiResponse(description="Not as the channel is now; the sentence says why.")


class Count(serializers.IntegerField):
    """A JSON number without a fraction, and nothing that looks like one."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        number: int = super().to_internal_value(data)
        return number


class NewChannel(Body):
    kind = serializers.ChoiceField(Channel.Kind.values)
    address = Name(
        help_text="An email address, the http(s) address of a webhook, or of a chat or push service its"
        " address in the notation of apprise, such as `ntfys://ntfy.sh/topic`."
    )


class ChangedChannel(Body):
    state = serializers.ChoiceField(STATES_TO_CHOOSE, required=False)
    wants = serializers.ChoiceField(Channel.Wants.values, required=False)
    most_per_day = Count(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MOST_PER_DAY,
        help_text="What comes after that waits for the next daily digest; null means no limit of your own.",
    )


class ChannelDocument(serializers.ModelSerializer):
    class Meta:
        model = Channel
        fields: tuple[str, ...] = (
            "id",
            "kind",
            "address",
            "state",
            "reason",
            "wants",
            "most_per_day",
            "created_at",
            "verified_at",
            "failures",
            "failing_since",
            "old_secret_until",
        )
        read_only_fields = fields
        extra_kwargs = {  # noqa: RUF012 - the framework reads it as it is
            "reason": {"help_text": "Why it is switched off."},
            "failures": {"help_text": "In a row, up to now."},
            "old_secret_until": {"help_text": "So long the secret before the last rotation signs along."},
        }


class ChannelWithSecret(ChannelDocument):
    class Meta(ChannelDocument.Meta):
        fields = (*ChannelDocument.Meta.fields, "secret")
        read_only_fields = fields
        extra_kwargs = {  # noqa: RUF012 - as above
            **ChannelDocument.Meta.extra_kwargs,
            "secret": {
                "help_text": "Shown this once. It signs what a webhook gets; a chat has none to show."
            },
        }

    def to_representation(self, instance: Channel) -> dict[str, Any]:
        """That of a chat is the address with all tokens: whoever made it has it, and nobody else shall."""
        document: dict[str, Any] = super().to_representation(instance)
        return document | ({"secret": ""} if instance.kind == Channel.Kind.CHAT else {})  # nosec B105  # none


class ChannelList(serializers.Serializer):
    """For the documentation."""

    results = ChannelDocument(many=True)


class Planned(serializers.Serializer):
    id = serializers.IntegerField(help_text="Of the delivery.")
    status_url = serializers.URLField(help_text="What became of it, with the log of attempts.")


class ChannelsEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="channels_list", responses={200: ChannelList}, summary="Your channels, oldest first"
    )
    def get(self, request: Request) -> Response:
        refuse_parameters_but(request)
        mine = selectors.channels_of(person(request))
        return Response({"results": ChannelDocument(mine, many=True).data})

    @extend_schema(
        request=NewChannel,
        responses={201: ChannelWithSecret, 409: OpenApiResponse(description="You have it already.")},
        summary="Add a channel; a message goes there to prove that it is yours",
    )
    def post(self, request: Request) -> Response:
        fields = read(NewChannel, request)
        kind = Channel.Kind(fields["kind"])
        with told_as_problems():
            made = channels.add(person(request), kind=kind, address=fields["address"], now=timezone.now())
        return Response(ChannelWithSecret(made).data, status=201)


class ChannelEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(responses={200: ChannelDocument}, summary="One channel")
    def get(self, request: Request, number: int) -> Response:
        return Response(ChannelDocument(find(request, number)).data)

    @extend_schema(
        request=ChangedChannel,
        responses={200: ChannelDocument, 409: NOT_NOW},
        summary="Switch it off or on, or change how much it gets",
        description="The address stays as it is; for another one, add another channel. An email address"
        " that wanted nothing, and is not one of your account, has to confirm first that it wants more.",
    )
    def patch(self, request: Request, number: int) -> Response:
        channel = find(request, number)
        fields = read(ChangedChannel, request)
        if "state" in fields:
            fields["state"] = Channel.State(fields["state"])
        with told_as_problems():
            channels.change(channel.pk, now=timezone.now(), by_account=True, **fields)
        return Response(ChannelDocument(find(request, number)).data)

    @extend_schema(
        responses={204: None},
        summary="Remove it, with the log of its deliveries",
        description="Subscriptions that tell on this channel only tell on every channel then.",
    )
    def delete(self, request: Request, number: int) -> Response:
        channels.remove(find(request, number).pk)
        return Response(status=204)


class TestEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="channels_test",
        request=None,
        responses={202: Planned, 409: NOT_NOW},
        summary="Send a test message",
        description="It goes before all that waits for this channel. A mail counts as one of those that the"
        " address may get today.",
    )
    def post(self, request: Request, number: int) -> Response:
        delivery = of_mine(request, number, lambda channel: channels.send_test(channel, now=timezone.now()))
        status_url = reverse("delivery", [delivery.pk], request=request)
        return Response(Planned({"id": delivery.pk, "status_url": status_url}).data, status=202)


class VerifyEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="channels_verify",
        request=None,
        responses={202: ChannelDocument, 409: NOT_NOW},
        summary="Verify it again",
        description="An email address gets one such mail in 10 minutes and five a day, whoever asks for it."
        " You may ask for 100 verifications a day.",
    )
    def post(self, request: Request, number: int) -> Response:
        of_mine(request, number, lambda channel: channels.verify_again(channel.pk, now=timezone.now()))
        return Response(ChannelDocument(find(request, number)).data, status=202)


class RotateSecretEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="channels_rotate_secret",
        request=None,
        responses={200: ChannelWithSecret, 409: NOT_NOW},
        summary="Sign with a new secret; for 24 hours the old one signs along",
        description="For webhooks only: other messages are not signed, and this is answered with 409.",
    )
    def post(self, request: Request, number: int) -> Response:
        rotated = of_mine(
            request, number, lambda channel: channels.rotate_secret(channel.pk, now=timezone.now())
        )
        return Response(ChannelWithSecret(rotated).data)


def find(request: Request, number: int) -> Channel:
    """The channel, for its owner; to all others it is not there."""
    mine: QuerySet[Channel] = selectors.channels_of(person(request))
    channel = mine.filter(pk=number).first()
    if channel is None:
        raise NotFound(NOT_THERE)
    return channel


def of_mine(request: Request, number: int, do: Callable[[Channel], Any]) -> Any:
    """What the service answers for this channel of whoever asks."""
    channel = find(request, number)
    try:
        with told_as_problems():
            return do(channel)
    except Channel.DoesNotExist:  # somebody removed it after we have found it
        raise NotFound(NOT_THERE) from None
