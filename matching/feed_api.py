"""REST for subscribers: the live feed.

The endpoint itself is an ordinary one, so that keys, sessions, limits and errors are those of all others;
only the content of its answer is sent by the event loop, for as long as the client stays.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import partial

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest, StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import APIException, ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from matching.api import person
from matching.feed_hub import FeedHub
from matching.feed_stream import FeedStream
from matching.matches_api import MatchDocument
from matching.models import Match
from matching.row_numbers import row_number
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.core.sentences import gettext as _

CONTENT_TYPE = "text/event-stream"
HUB = FeedHub(settings.REDIS_URL)


class ErrorsInJson(DefaultContentNegotiation):
    """Whatever a client accepts: a browser accepts nothing but events, and errors are no events."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type


class FeedStreamEndpoint(APIView):
    permission_classes = (SubscriberMay,)
    content_negotiation_class = ErrorsInJson
    http_method_names = ("get", "options")  # Django would answer HEAD with a stream too

    @extend_schema(
        operation_id="feed_stream",
        parameters=[
            OpenApiParameter(
                "Last-Event-ID", int, OpenApiParameter.HEADER, description="Begin after this; 0 is all."
            ),
            OpenApiParameter(
                "last_event_id", int, description="The same, where the header cannot be set; it comes second."
            ),
        ],
        responses={(200, CONTENT_TYPE): str},
        summary="Your matches as they come, as Server-Sent Events",
        description=(
            "Each `match` event has one match as in `GET matches` in its `data`, and its number in your feed "
            "as its `id`. Send the last one back and you continue without a gap and without a repeat; "
            "without it you get what comes from now on. A comment is sent when there is nothing for a while."
        ),
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        owner = person(request)
        after = last_event_id(request)
        HUB.check_room(owner.pk)
        stream = FeedStream(
            owner,
            after=after,
            hub=HUB,
            may_listen=partial(is_still_allowed, request._request),
            documents=documents,
        )
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        return StreamingHttpResponse(stream, content_type=CONTENT_TYPE, headers=headers)


def last_event_id(request: Request) -> int | None:
    """The number a client has; a browser that comes back sends it as a header. Raises ParseError."""
    said = request.headers.get("Last-Event-ID") or request.query_params.get("last_event_id")
    if not said:
        return None
    number = row_number(said)
    if number is None:
        raise ParseError(_("Last-Event-ID must be the id of an event of your feed, a whole number."))
    return number


def documents(matches: Sequence[Match]) -> Iterator[bytes]:
    """Each match as GET matches shows it, in one line."""
    return map(JSONRenderer().render, MatchDocument(matches, many=True).data)


def is_still_allowed(first: HttpRequest) -> bool:
    """Whether the same request would be let in now: with a live key or session, of an active user."""
    again = copy(first)
    again.session = type(first.session)(first.session.session_key)
    again.user = get_user(again)
    endpoint = FeedStreamEndpoint()
    request = endpoint.initialize_request(again)
    try:
        endpoint.perform_authentication(request)
        endpoint.check_permissions(request)
    except APIException:
        return False
    return True
