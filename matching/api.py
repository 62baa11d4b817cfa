"""REST for subscribers: the searches of whoever asks, or the one a ticket is for."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import selectors, services
from matching.models import Subscription
from schema_registry.accounts.models import User
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.bodies import Body

TICKET = OpenApiParameter(
    "X-Ticket", str, OpenApiParameter.HEADER, description="Of this subscription; then no key is needed."
)
STATES_TO_CHOOSE = ("active", "paused", "muted")
MOST_VALID_DAYS = 3_650


class ValidDays(serializers.IntegerField):
    """Days from now; null means that it never expires."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=MOST_VALID_DAYS, allow_null=True, **options)


class NewSubscription(Body):
    text = serializers.CharField(trim_whitespace=False)
    name = serializers.CharField(required=False, allow_blank=True, max_length=200)
    valid_days = ValidDays(required=False)


class ChangedSubscription(Body):
    text = serializers.CharField(required=False, trim_whitespace=False)
    name = serializers.CharField(required=False, allow_blank=True, max_length=200)
    state = serializers.ChoiceField(STATES_TO_CHOOSE, required=False)


class Renewal(Body):
    valid_days = ValidDays(required=False)


class SubscriptionDocument(serializers.ModelSerializer):
    class Meta:
        model = Subscription
        fields = ("id", "name", "text", "canonical", "state", "created_at", "expires_at")
        read_only_fields = fields


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


class SubscriptionsEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        responses={200: SubscriptionDocument(many=True)}, summary="Your subscriptions, newest first"
    )
    def get(self, request: Request) -> Response:
        pages = NewestFirst()
        page = pages.paginate_queryset(selectors.subscriptions_of(person(request)), request)
        return pages.get_paginated_response(SubscriptionDocument(page, many=True).data)

    @extend_schema(request=NewSubscription, responses={201: Created}, summary="Subscribe")
    def post(self, request: Request) -> Response:
        made = services.subscribe(person(request), now=timezone.now(), **read(NewSubscription, request))
        answer = {
            "id": made.subscription.pk,
            "canonical": made.subscription.canonical,
            "expires_at": made.subscription.expires_at,
            "ticket": made.ticket,
            "warnings": made.warnings,
        }
        return Response(Created(answer).data, status=201)


class SubscriptionEndpoint(APIView):
    permission_classes = (AllowAny,)  # `find` decides: owner, or ticket

    @extend_schema(parameters=[TICKET], responses={200: SubscriptionDocument}, summary="One subscription")
    def get(self, request: Request, number: int) -> Response:
        return Response(SubscriptionDocument(find(request, number)).data)

    @extend_schema(
        request=ChangedSubscription,
        responses={200: SubscriptionDocument},
        summary="Edit, pause, mute or resume",
    )
    def patch(self, request: Request, number: int) -> Response:
        subscription = find(request, number, by_ticket=False)
        fields = read(ChangedSubscription, request)
        state = fields.pop("state", None)
        services.change(subscription, state=None if state is None else Subscription.State(state), **fields)
        subscription.refresh_from_db()
        return Response(SubscriptionDocument(subscription).data)

    @extend_schema(parameters=[TICKET], responses={204: None}, summary="Unsubscribe")
    def delete(self, request: Request, number: int) -> Response:
        services.unsubscribe(find(request, number))
        return Response(status=204)


class RenewEndpoint(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        parameters=[TICKET],
        request=Renewal,
        responses={200: SubscriptionDocument},
        summary="Renew its validity",
    )
    def post(self, request: Request, number: int) -> Response:
        subscription = find(request, number)
        services.renew(subscription, now=timezone.now(), **read(Renewal, request))
        subscription.refresh_from_db()
        return Response(SubscriptionDocument(subscription).data)


def find(request: Request, number: int, *, by_ticket: bool = True) -> Subscription:
    """The subscription, for its owner or for the bearer of its ticket; to all others it is not there."""
    ticket = request.headers.get("X-Ticket")
    found: Subscription | None = None
    if ticket and by_ticket:
        found = selectors.subscription_with_ticket(number, ticket)
    elif SubscriberMay().has_permission(request, APIView()):
        found = selectors.subscriptions_of(person(request)).filter(pk=number).first()
    if found is None:
        raise NotFound("There is no such subscription.")
    return found


def person(request: Request) -> User:
    assert isinstance(request.user, User), "the permission class has seen to it"
    return request.user


def read(body: type[Body], request: Request) -> dict[str, Any]:
    document = body(data=request.data)
    document.is_valid(raise_exception=True)
    return dict(document.validated_data)
