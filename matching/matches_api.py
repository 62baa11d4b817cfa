"""REST for subscribers: what matched, newest first, and why."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import selectors
from matching.api import NewestFirst, person
from matching.models import Match
from schema_registry.accounts.permissions import SubscriberMay

LONGEST_NUMBER = 18  # digits that every database takes


class Reason(serializers.Serializer):
    predicate = serializers.CharField()
    attribute = serializers.CharField()
    value = serializers.JSONField(help_text="The value for which the predicate held.")


class MatchedEvent(serializers.Serializer):
    id = serializers.IntegerField()
    external_id = serializers.CharField()
    url = serializers.CharField()
    title = serializers.CharField()
    image_url = serializers.CharField()
    ends_at = serializers.DateTimeField(allow_null=True)
    attributes = serializers.DictField(source="document")


class MatchDocument(serializers.Serializer):
    id = serializers.IntegerField()
    event = MatchedEvent()
    subscription = serializers.IntegerField(source="subscription_id")
    why = serializers.SerializerMethodField()
    matched_at = serializers.DateTimeField()

    @extend_schema_field(Reason(many=True))
    def get_why(self, match: Match) -> list[dict[str, Any]]:
        return selectors.why(match)


class MatchesEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        parameters=[
            OpenApiParameter("subscription", int, description="Only of this one."),
            OpenApiParameter("page_size", int, description="Up to 500."),
        ],
        responses={200: MatchDocument(many=True)},
        summary="Your matches, newest first, each with the reason",
    )
    def get(self, request: Request) -> Response:
        found = selectors.matches_of(person(request))
        if (only := request.query_params.get("subscription")) is not None:
            is_number = only.isascii() and only.isdigit() and len(only) <= LONGEST_NUMBER
            found = found.filter(subscription_id=int(only)) if is_number else found.none()
        pages = NewestFirst()
        page = pages.paginate_queryset(found, request)
        return pages.get_paginated_response(MatchDocument(page, many=True).data)
