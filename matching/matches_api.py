"""REST for subscribers: what matched, newest first, why, and whether it was seen."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import seen, selectors
from matching.api import CURSOR, PAGE_SIZE, NewestFirst, person, read
from matching.models import Match
from matching.row_numbers import LARGEST_NUMBER, row_number
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.bodies import Body, YesOrNo
from schema_registry.core.sentences import gettext as _


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
    seen = serializers.BooleanField()

    @extend_schema_field(Reason(many=True))
    def get_why(self, match: Match) -> list[dict[str, Any]]:
        return self._why(match)

    @cached_property
    def _why(self) -> Callable[[Match], list[dict[str, Any]]]:
        return selectors.explainer()


class MatchPage(serializers.Serializer):
    """For the documentation."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = MatchDocument(many=True)
    unseen = serializers.IntegerField(
        help_text=f"How many you have not seen, over all pages; counted up to {seen.MOST_COUNTED:,}."
    )


class MatchesEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="matches_list",
        parameters=[
            OpenApiParameter("subscription", int, description="Only of this one."),
            OpenApiParameter("seen", bool, description="Only those you have seen, or have not."),
            PAGE_SIZE,
            CURSOR,
        ],
        responses={200: MatchPage},
        summary="Your matches, newest first, each with the reason",
        description="Items that you have hidden in your feed are not among them.",
    )
    def get(self, request: Request) -> Response:
        found = selectors.shown_to(person(request))
        if (only := request.query_params.get("subscription")) is not None:
            number = row_number(only)
            found = found.none() if number is None else found.filter(subscription_id=number)
        if (chosen := request.query_params.get("seen")) is not None:
            if chosen not in ("true", "false"):
                raise ValidationError({"seen": _("This is either true or false.")})
            found = found.filter(seen=chosen == "true")
        pages = NewestFirst()
        page = pages.paginate_queryset(found, request)
        response = pages.get_paginated_response(MatchDocument(page, many=True).data)
        response.data["unseen"] = seen.count_unseen(person(request))
        return response


class MatchNumbers(serializers.ListField):
    """Their count is looked at before they are."""

    child = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER)

    def to_internal_value(self, data: Any) -> list[int]:
        if isinstance(data, list) and len(data) > seen.MOST_AT_ONCE:
            count, most = len(data), seen.MOST_AT_ONCE
            raise ValidationError(
                _("These are {count:,} ids; {most} are the most at once.", count=count, most=most)
            )
        numbers: list[int] = super().to_internal_value(data)
        return numbers


class SeenBody(Body):
    ids = MatchNumbers(required=False, help_text=f"At most {seen.MOST_AT_ONCE}.")
    up_to = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST_NUMBER, help_text="All matches with this id or less."
    )
    seen = YesOrNo(required=False, default=True, help_text="false takes it back; for ids only.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("ids" in attrs) == ("up_to" in attrs):
            raise ValidationError(_("Say which matches: either ids, or up_to."))
        if "up_to" in attrs and not attrs["seen"]:
            raise ValidationError({"seen": _("This can be taken back by ids only, not by up_to.")})
        return attrs


class SeenAnswer(serializers.Serializer):
    unseen = serializers.IntegerField(help_text="How many are left.")


class SeenEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="matches_seen",
        request=SeenBody,
        responses={200: SeenAnswer},
        summary="Mark matches as seen",
    )
    def post(self, request: Request) -> Response:
        owner = person(request)
        chosen = read(SeenBody, request)
        if "ids" in chosen:
            seen.mark(owner, chosen["ids"], seen=chosen["seen"])
        else:
            seen.mark_up_to(owner, chosen["up_to"])
        return Response(SeenAnswer({"unseen": seen.count_unseen(owner)}).data)
