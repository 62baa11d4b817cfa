"""REST for publishers: many events in one request, a line each. Good lines are taken, bad ones are named."""

import io
import json
from collections.abc import Sequence
from typing import IO, Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching import metrics, wakeups
from matching.envelopes import read_envelope
from matching.events_api import acting, key_prefix
from matching.intake import Taken, checked, publish_many
from matching.ndjson import UnreadableBody, lines
from matching.parameters import DRY_RUN, is_dry_run
from matching.revisions import ChangedBody, Decision, Ready, Revisions
from matching.shedding import Overloaded, refuse_when_overloaded
from matching.small_transactions import ROWS_PER_TRANSACTION
from matching.traffic.noting import Refusals
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.permissions import publisher_may
from schema_registry.core.errors import InputError
from schema_registry.core.json_input import read_json
from schema_registry.core.sentences import gettext as _
from schema_registry.problems import entries, status_and_code
from schema_registry.selectors import current_schema

# Each is two rows: the event and its work. Checking the next lines is pause enough for other writers.
LINES_PER_TRANSACTION = ROWS_PER_TRANSACTION // 2
MOST_LINES = 100_000


class LinesParser(BaseParser):
    media_type = "application/x-ndjson"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """The body itself: its lines are read as they are needed."""
        return stream


class LineResult(serializers.Serializer):
    """For the documentation. A line that was taken has `id` and `repeated`, another `code` and `detail`."""

    line = serializers.IntegerField(help_text="From 1; blank lines are not counted.")
    status = serializers.IntegerField(help_text="What the line alone would have been answered.")
    id = serializers.IntegerField(required=False)
    repeated = serializers.BooleanField(required=False)
    code = serializers.CharField(required=False)
    detail = serializers.CharField(required=False)
    errors = serializers.ListField(child=serializers.DictField(), required=False)  # type: ignore[assignment]
    retry_after = serializers.IntegerField(required=False, help_text="Seconds; with status 503.")


class BatchAnswer(serializers.Serializer):
    results = LineResult(many=True, help_text="One for each line, in order.")
    accepted = serializers.IntegerField()
    repeated = serializers.IntegerField()
    rejected = serializers.IntegerField()
    dry_run = serializers.BooleanField(required=False, help_text="True if nothing was stored.")


class BatchEndpoint(APIView):
    permission_classes = (publisher_may(Scope.EVENTS),)
    parser_classes = (LinesParser,)

    @extend_schema(
        operation_id="events_batch",
        parameters=[DRY_RUN],
        request={"application/x-ndjson": OpenApiTypes.STR},
        responses={200: BatchAnswer},
        summary="Publish many events, one per line; gzip is welcome",
    )
    def post(self, request: Request) -> Response:
        batch = Batch(acting(request), key_prefix=key_prefix(request), is_dry_run=is_dry_run(request))
        batch.refuse_when_overloaded()
        body: Any = request.data or io.BytesIO()  # an empty body is not given to the parser
        is_gzip = request.headers.get("Content-Encoding", "").lower() == "gzip"
        try:
            for line in lines(body, is_gzip=is_gzip):
                batch.take(line)
        except (UnreadableBody, Overloaded) as error:
            if not batch.results:
                batch.note_unreadable(error)
                raise
            batch.stop(error)
        batch.flush()
        batch.tell_of_refusals()
        return Response(batch.answer())


class Batch:
    """Lines on their way in: checked one by one, stored many at a time.

    In a dry run nothing is stored, and what lines would be is told from all that came before them.
    """

    def __init__(self, publisher: Publisher, *, key_prefix: str = "", is_dry_run: bool = False) -> None:
        self._publisher = publisher
        self._refusals = Refusals(publisher.pk, key_prefix=key_prefix, via="batch")
        self._schema = current_schema()
        self._foreseen = Revisions(publisher) if is_dry_run else None
        self._waiting: list[tuple[dict[str, Any], Ready]] = []
        self.results: list[dict[str, Any]] = []

    def take(self, line: bytes) -> None:
        """Raises UnreadableBody after too many lines, and Overloaded when no more can be stored."""
        if len(self.results) >= MOST_LINES:
            raise UnreadableBody(_("A batch has at most {most:,} lines.", most=MOST_LINES))
        if len(self._waiting) >= LINES_PER_TRANSACTION:
            self.flush()
            self.refuse_when_overloaded()
        result: dict[str, Any] = {"line": len(self.results) + 1}
        self.results.append(result)
        try:
            ready = checked(self._publisher, read_envelope(read_json(line)), self._schema)
        except InputError as error:
            self._refuse(result, error, line)
        else:
            self._waiting.append((result, ready))

    def refuse_when_overloaded(self) -> None:
        """Raises Overloaded. A dry run makes no work."""
        if self._foreseen is None:
            refuse_when_overloaded()

    def stop(self, error: UnreadableBody | Overloaded) -> None:
        """What came before is taken; the rest of the body is not read."""
        result: dict[str, Any] = {"line": len(self.results) + 1}
        if isinstance(error, Overloaded):
            result |= {"status": error.status_code, "code": error.default_code, "detail": str(error.detail)}
            result["retry_after"] = error.wait
        else:
            result |= _refusal(error)
            self._note(error, b"")
        self.results.append(result)

    def note_unreadable(self, error: UnreadableBody | Overloaded) -> None:
        """Nothing of the body could be read, so there is no answer for each line."""
        if isinstance(error, UnreadableBody):
            self._note(error, b"")
            self.tell_of_refusals()

    def tell_of_refusals(self) -> None:
        """At the end, for whoever looks after the publisher."""
        self._refusals.send(now=timezone.now())

    def flush(self) -> None:
        """Store what waits."""
        if not self._waiting:
            return
        ready = [each for _, each in self._waiting]
        if self._foreseen is None:
            outcomes: Sequence[Taken | Decision | ChangedBody] = self._store(ready)
        else:
            outcomes = self._foreseen.decide(ready)
        for (result, sent), outcome in zip(self._waiting, outcomes, strict=True):
            match outcome:
                case Taken():
                    result |= {"status": 202, "id": outcome.number, "repeated": outcome.is_repeat}
                case Decision():
                    result |= {"status": 200, "repeated": outcome.is_repeat}
                case ChangedBody():
                    self._refuse(result, outcome, _written(sent))
        self._waiting = []
        self._schema = current_schema()

    def _store(self, ready: Sequence[Ready]) -> Sequence[Taken | ChangedBody]:
        outcomes = publish_many(self._publisher, ready, now=timezone.now())
        fresh = sum(isinstance(outcome, Taken) and not outcome.is_repeat for outcome in outcomes)
        metrics.ACCEPTED.inc(fresh)
        if fresh:
            wakeups.wake_matchers()
        return outcomes

    def _refuse(self, result: dict[str, Any], error: InputError, sent: bytes | str) -> None:
        if self._foreseen is None:
            metrics.count_rejection(error)
        self._note(error, sent)
        result |= _refusal(error)

    def _note(self, error: InputError, sent: bytes | str) -> None:
        """A dry run is there to find mistakes: they are told, and not kept."""
        if self._foreseen is None:
            self._refusals.add(error, sent)

    def answer(self) -> dict[str, Any]:
        good = [result for result in self.results if result["status"] < 300]
        repeated = sum(result["repeated"] for result in good)
        totals = {
            "results": self.results,
            "accepted": len(good) - repeated,
            "repeated": repeated,
            "rejected": len(self.results) - len(good),
        }
        return totals if self._foreseen is None else {**totals, "dry_run": True}


def _written(ready: Ready) -> str:
    """About what was sent: the line itself is not kept while it waits to be stored."""
    envelope = ready.envelope
    named = {"external_id": envelope.external_id, "revision": envelope.revision, "title": envelope.title}
    said = json.dumps({name: value for name, value in named.items() if value}, ensure_ascii=False)
    return f'{said[:-1]}, "event": {ready.document}}}'


def _refusal(error: InputError) -> dict[str, Any]:
    status, code = status_and_code(error)
    refusal = {"status": status, "code": code, "detail": str(error)}
    found = entries(error)
    return {**refusal, "errors": found} if found else refusal
