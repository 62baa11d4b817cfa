"""REST for publishers: many events in one request, a line each. Good lines are taken, bad ones are named."""

import io
from typing import IO, Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import metrics
from matching.envelopes import read_envelope
from matching.events_api import acting
from matching.intake import ChangedBody, Ready, checked, publish_many
from matching.ndjson import UnreadableBody, lines
from matching.wakeups import wake_matchers
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.permissions import publisher_may
from schema_registry.core.errors import InputError
from schema_registry.core.json_input import read_json
from schema_registry.problems import entries, status_and_code
from schema_registry.selectors import current_schema

LINES_PER_TRANSACTION = 500
MOST_LINES = 100_000


class LinesParser(BaseParser):
    media_type = "application/x-ndjson"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """The body itself: its lines are read as they are needed."""
        return stream


class BatchAnswer(serializers.Serializer):
    results = serializers.ListField(child=serializers.DictField(), help_text="One for each line, in order.")
    accepted = serializers.IntegerField()
    repeated = serializers.IntegerField()
    rejected = serializers.IntegerField()


class BatchEndpoint(APIView):
    permission_classes = (publisher_may(Scope.EVENTS),)
    parser_classes = (LinesParser,)

    @extend_schema(
        request={"application/x-ndjson": OpenApiTypes.STR},
        responses={200: BatchAnswer},
        summary="Publish many events, one per line; gzip is welcome",
    )
    def post(self, request: Request) -> Response:
        body: Any = request.data or io.BytesIO()  # an empty body is not given to the parser
        is_gzip = request.headers.get("Content-Encoding", "").lower() == "gzip"
        batch = Batch(acting(request))
        try:
            for line in lines(body, is_gzip=is_gzip):
                batch.take(line)
        except UnreadableBody as error:
            if not batch.results:
                raise
            batch.stop(error)
        batch.flush()
        transaction.on_commit(wake_matchers)
        return Response(batch.answer())


class Batch:
    """Lines on their way in: checked one by one, stored many at a time."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._schema = current_schema()
        self._waiting: list[tuple[int, Ready]] = []
        self.results: list[dict[str, Any]] = []

    def take(self, line: bytes) -> None:
        if len(self.results) >= MOST_LINES:
            raise UnreadableBody(f"A batch has at most {MOST_LINES:,} lines.")
        self.results.append({"line": len(self.results) + 1})
        try:
            ready = checked(self._publisher, read_envelope(read_json(line)), self._schema)
        except InputError as error:
            metrics.count_rejection(error)
            self.results[-1] |= _refusal(error)
            return
        self._waiting.append((len(self.results) - 1, ready))
        if len(self._waiting) >= LINES_PER_TRANSACTION:
            self.flush()

    def stop(self, error: UnreadableBody) -> None:
        """What came before is taken; from here on nothing could be read."""
        self.results.append({"line": len(self.results) + 1} | _refusal(error))

    def flush(self) -> None:
        taken = publish_many(self._publisher, [ready for _, ready in self._waiting], now=timezone.now())
        for (place, _), each in zip(self._waiting, taken, strict=True):
            if isinstance(each, ChangedBody):
                metrics.count_rejection(each)
                self.results[place] |= _refusal(each)
            else:
                metrics.ACCEPTED.inc(not each.is_repeat)
                self.results[place] |= {"status": 202, "id": each.number, "repeated": each.is_repeat}
        self._waiting = []
        self._schema = current_schema()

    def answer(self) -> dict[str, Any]:
        taken = [result for result in self.results if result["status"] == 202]
        repeated = sum(result["repeated"] for result in taken)
        return {
            "results": self.results,
            "accepted": len(taken) - repeated,
            "repeated": repeated,
            "rejected": len(self.results) - len(taken),
        }


def _refusal(error: InputError) -> dict[str, Any]:
    status, code = status_and_code(error)
    refusal = {"status": status, "code": code, "detail": str(error)}
    found = entries(error)
    return {**refusal, "errors": found} if found else refusal
