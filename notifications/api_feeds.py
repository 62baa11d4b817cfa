"""REST for subscribers: the secret addresses of their Atom feeds."""

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import api
from matching.parameters import refuse_parameters_but
from matching.row_numbers import LARGEST_NUMBER
from matching.selectors import subscriptions_of
from notifications import links
from schema_registry.accounts.permissions import SubscriberMay


class FeedQuery(serializers.Serializer):
    subscription = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST_NUMBER,
        help_text="The feed of this one; without it, of all that you have.",
    )


class FeedDocument(serializers.Serializer):
    url = serializers.URLField(help_text="Whoever has it reads the feed, without signing in.")


class FeedsEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        parameters=[FeedQuery],
        responses={200: FeedDocument, 404: OpenApiResponse(description="You have no such subscription.")},
        summary="The address of an Atom feed",
    )
    def get(self, request: Request) -> Response:
        refuse_parameters_but(request, "subscription")
        query = FeedQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        owner, search = api.person(request), query.validated_data.get("subscription")
        if search is not None and not subscriptions_of(owner).filter(pk=search).exists():
            raise NotFound(api.NOT_THERE)
        return Response(FeedDocument({"url": links.atom_address(owner.pk, search)}).data)


class RotateFeedsEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        operation_id="feeds_rotate",
        request=None,
        responses={200: FeedDocument},
        summary="Give all your feeds other addresses",
        description="The old ones lead nowhere from now on. The answer is the address of the feed of all.",
    )
    def post(self, request: Request) -> Response:
        owner = api.person(request)
        links.revoke_atom_addresses(owner.pk)
        return Response(FeedDocument({"url": links.atom_address(owner.pk)}).data)
