"""REST for subscribers: the link by which others read a subscription and copy it."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching.api import find
from notifications import sharing
from schema_registry.accounts.permissions import SubscriberMay


class ShareDocument(serializers.Serializer):
    url = serializers.URLField(help_text="Whoever has it reads the subscription and may copy it.")


class ShareEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        request=None,
        responses={200: ShareDocument},
        summary="Share by a link",
        description="The same link as long as it is shared. It shows name and text as they are at the time,"
        " and nothing about you, your channels or your matches.",
    )
    def post(self, request: Request, number: int) -> Response:
        url = sharing.share(find(request, number, by_ticket=False), now=timezone.now())
        return Response(ShareDocument({"url": url}).data)

    @extend_schema(
        responses={204: None},
        summary="Stop sharing",
        description="The link leads nowhere from now on; copies that others made are theirs.",
    )
    def delete(self, request: Request, number: int) -> Response:
        sharing.stop(find(request, number, by_ticket=False))
        return Response(status=204)
