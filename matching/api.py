"""REST for subscribers: the searches of whoever asks, or the one a ticket is for."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from django.utils import timezone
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import selectors, services
from matching.models import Subscription
from matching.validity import MOST_VALID_DAYS, state_at
from schema_registry.accounts.models import User
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.bodies import Body, Name

TICKET = OpenApiParameter(
    "X-Ticket", str, OpenApiParameter.HEADER, description="Of this subscription; then no key is needed."
)
PAGE_SIZE = OpenApiParameter("page_size", int, description="Up to 500.")
CURSOR = OpenApiParameter("cursor", str, description="Of another page; `next` has it.")
NOT_THERE = gettext_lazy("There is no such subscription.")
STATES_TO_CHOOSE = ("active", "paused", "muted")
STATES_SHOWN = (*STATES_TO_CHOOSE, "expired")


class ValidDays(serializers.IntegerField):
    """Days from now; null means that it never expires."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=MOST_VALID_DAYS, allow_null=True, **options)


class NewSubscription(Body):
    text = Name()
    name = Name(required=False, allow_blank=True, max_length=200)
    valid_days = ValidDays(required=False)


class ChangedSubscription(Body):
    text = Name(required=False)
    name = Name(required=False, allow_blank=True, max_length=200)
    state = serializers.ChoiceField(STATES_TO_CHOOSE, required=False)


class Renewal(Body):
    valid_days = ValidDays(required=False)


class StateQuery(serializers.Serializer):
    state = serializers.ChoiceField(STATES_SHOWN, required=False, help_text="Only those in this state.")


class SubscriptionDocument(serializers.ModelSerializer):
    state = serializers.SerializerMethodField()

    class Meta:
        model = Subscription
        fields: tuple[str, ...] = ("id", "name", "text", "canonical", "state", "created_at", "expires_at")
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(STATES_SHOWN))
    def get_state(self, row: Subscription) -> str:
        return state_at(row.state, row.expires_at, now=timezone.now())


class SubscriptionPage(serializers.Serializer):
    """For the documentation."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = SubscriptionDocument(many=True)


class ChangedDocument(SubscriptionDocument):
    """For the documentation."""

    warnings = serializers.ListField(child=serializers.CharField(), help_text="About the new text.")

    class Meta(SubscriptionDocument.Meta):
        fields = (*SubscriptionDocument.Meta.fields, "warnings")


class Created(serializers.Serializer):
    id = serializers.IntegerField()
    canonical = serializers.CharField()
    expires_at = serializers.DateTimeField(allow_null=True)
    ticket = serializers.CharField(help_text="Shown this once. It alone permits renewing or cancelling.")
    warnings = serializers.ListField(child=serializers.CharField())


class NewestFirst(CursorPagination):
    ordering = "-pk"
    page_size = 100
    max_page_size = 500
    page_size_query_param = "page_size"


class SubscriptionView(APIView):
    # What the endpoints of subscriptions read and show; an app above us may add to both. A docstring would
    # stand in the reference of the API.
    new_body: ClassVar[type[Body]] = NewSubscription
    change_body: ClassVar[type[Body]] = ChangedSubscription

    def arguments(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields of a body as the services take them."""
        return fields

    def shown(self, rows: Sequence[Subscription]) -> list[dict[str, Any]]:
        return [*SubscriptionDocument(rows, many=True).data]


class SubscriptionsEndpoint(SubscriptionView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="subscriptions_list",
        parameters=[StateQuery, PAGE_SIZE, CURSOR],
        responses={200: SubscriptionPage},
        summary="Your subscriptions, newest first",
    )
    def get(self, request: Request) -> Response:
        query = StateQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        found = selectors.subscriptions_of(person(request))
        if (state := query.validated_data.get("state")) is not None:
            found = selectors.in_state(found, Subscription.State(state), now=timezone.now())
        pages = NewestFirst()
        page = pages.paginate_queryset(found, request) or []
        return pages.get_paginated_response(self.shown(page))

    @extend_schema(request=NewSubscription, responses={201: Created}, summary="Subscribe")
    def post(self, request: Request) -> Response:
        fields = self.arguments(read(self.new_body, request))
        made = services.subscribe(person(request), now=timezone.now(), **fields)
        answer = {
            "id": made.subscription.pk,
            "canonical": made.subscription.canonical,
            "expires_at": made.subscription.expires_at,
            "ticket": made.ticket,
            "warnings": made.warnings,
        }
        return Response(Created(answer).data, status=201)


class SubscriptionEndpoint(SubscriptionView):
    permission_classes = (AllowAny,)  # `find` decides: owner, or ticket

    @extend_schema(parameters=[TICKET], responses={200: SubscriptionDocument}, summary="One subscription")
    def get(self, request: Request, number: int) -> Response:
        return Response(self.shown([find(request, number)])[0])

    @extend_schema(
        request=ChangedSubscription,
        responses={200: ChangedDocument},
        summary="Edit, pause, mute or resume",
    )
    def patch(self, request: Request, number: int) -> Response:
        subscription = find(request, number, by_ticket=False)
        fields = self.arguments(read(self.change_body, request))
        if "state" in fields:
            fields["state"] = Subscription.State(fields["state"])
        with gone_if_removed():
            warnings = services.change(subscription, now=timezone.now(), **fields)
        subscription.refresh_from_db()
        return Response({**self.shown([subscription])[0], "warnings": warnings})

    @extend_schema(parameters=[TICKET], responses={204: None}, summary="Unsubscribe")
    def delete(self, request: Request, number: int) -> Response:
        with gone_if_removed():
            services.unsubscribe(find(request, number))
        return Response(status=204)


class RenewEndpoint(SubscriptionView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="subscriptions_renew",
        parameters=[TICKET],
        request=Renewal,
        responses={200: SubscriptionDocument},
        summary="Renew its validity",
    )
    def post(self, request: Request, number: int) -> Response:
        subscription = find(request, number)
        fields = read(Renewal, request)
        with gone_if_removed():
            services.renew(subscription, now=timezone.now(), **fields)
        subscription.refresh_from_db()
        return Response(self.shown([subscription])[0])


def find(request: Request, number: int, *, by_ticket: bool = True) -> Subscription:
    """The subscription, for its owner or for the bearer of its ticket; to all others it is not there."""
    ticket = request.headers.get("X-Ticket")
    found: Subscription | None = None
    if ticket and by_ticket:
        found = selectors.subscription_with_ticket(number, ticket)
    elif SubscriberMay().has_permission(request, APIView()):
        found = selectors.subscriptions_of(person(request)).filter(pk=number).first()
    if found is None:
        raise NotFound(NOT_THERE)
    return found


@contextmanager
def gone_if_removed() -> Iterator[None]:
    """Somebody else may remove it after we have found it."""
    try:
        yield
    except Subscription.DoesNotExist:
        raise NotFound(NOT_THERE) from None


def person(request: Request) -> User:
    assert isinstance(request.user, User), "the permission class has seen to it"
    return request.user


def read(body: type[Body], request: Request) -> dict[str, Any]:
    document = body(data=request.data)
    document.is_valid(raise_exception=True)
    return dict(document.validated_data)
