"""Noting what was refused, while the publisher waits for its answer.

What a request was refused goes to Redis in one round trip: its counts, exactly, and some samples. Maintenance
takes it from there (see `collecting`). An accepted item is not noted, and costs nothing.

It is diagnosis, so nobody fails or waits for it: a Redis that is away or hangs is left alone for some
seconds, and what is refused meanwhile is told to the publisher only. Both streams are capped.
"""

import json
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any, Literal

import redis
import structlog
from django.conf import settings

from matching import metrics
from matching.traffic.reasons import Reason, reasons_of
from schema_registry.core.errors import InputError
from schema_registry.core.json_input import read_json
from schema_registry.problems import entries
from schema_registry.quick_redis import quick_redis

COUNTS, SAMPLES = "lesubscribe:refused", "lesubscribe:refused:samples"
ENTRY = "entry"
MOST_WAITING = {COUNTS: 50_000, SAMPLES: 5_000}  # about; the oldest go first
MOST_REASONS = 20  # of a request, then by kind only
MOST_SAMPLES, SAMPLES_OF_A_REASON = 10, 3  # of a request
MOST_RAW = 2_000  # bytes
_MOST_SENTENCES, _LONGEST_SENTENCE = 5, 300
_LONGEST_ID = 200
_TIMEOUT_SECONDS = 0.2
_SECONDS_LEFT_ALONE = 5.0
_log = structlog.get_logger(__name__)


class Refusals:
    """What one request was refused."""

    def __init__(self, publisher: int, *, key_prefix: str, via: Literal["api", "batch"]) -> None:
        self._sender = {"publisher": publisher, "via": via, "key": key_prefix}
        self._refused = 0
        self._reasons: Counter[Reason] = Counter()
        self._samples: list[dict[str, Any]] = []
        self._sampled: Counter[Reason] = Counter()

    def add(self, error: InputError, raw: bytes | str) -> None:
        """One item that was refused; `raw` is what was sent."""
        reasons = list(dict.fromkeys(map(self._counted_as, reasons_of(error))))
        self._refused += 1
        self._reasons.update(reasons)
        is_telling = any(self._sampled[reason] < SAMPLES_OF_A_REASON for reason in reasons)
        if is_telling and len(self._samples) < MOST_SAMPLES:
            self._sampled.update(reasons)
            self._samples.append({**_sample(error, raw), "reasons": reasons})

    def send(self, *, now: datetime) -> None:
        """Never fails, and waits for Redis but shortly. One round trip, none if nothing was refused."""
        if not self._refused:
            return
        about = {**self._sender, "moment": now.timestamp()}
        counts = [[*reason, count] for reason, count in self._reasons.items()]
        _stream(settings.REDIS_URL).add(
            [(COUNTS, {**about, "refused": self._refused, "reasons": counts})]
            + [(SAMPLES, {**about, **sample}) for sample in self._samples]
        )

    def _counted_as(self, reason: Reason) -> Reason:
        has_room = reason in self._reasons or len(self._reasons) < MOST_REASONS
        return reason if has_room else reason.of_its_kind


class RefusalStream:
    """Both streams. The clock only says how long Redis is left alone."""

    def __init__(self, redis_url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis = quick_redis(redis_url, seconds=_TIMEOUT_SECONDS)
        self._clock = clock
        self._ask_again_at = float("-inf")

    def add(self, noted: list[tuple[str, dict[str, Any]]]) -> bool:
        """Whether it is there now."""
        if self._clock() < self._ask_again_at:
            metrics.UNNOTED.inc()
            return False
        pipeline = self._redis.pipeline(transaction=False)
        for stream, entry in noted:
            pipeline.xadd(stream, {ENTRY: json.dumps(entry)}, maxlen=MOST_WAITING[stream], approximate=True)
        try:
            pipeline.execute()
        except redis.RedisError as error:
            self._ask_again_at = self._clock() + _SECONDS_LEFT_ALONE
            metrics.UNNOTED.inc()
            _log.warning("refusals_are_not_noted", error=str(error))
            return False
        return True


@cache
def _stream(redis_url: str) -> RefusalStream:
    return RefusalStream(redis_url)


def _sample(error: InputError, raw: bytes | str) -> dict[str, Any]:
    sentences = [str(entry["detail"]) for entry in entries(error)] or [str(error)]
    sent = raw if isinstance(raw, bytes) else raw.encode(errors="replace")
    cut = sent[:MOST_RAW].decode(errors="replace") + ("…" if len(sent) > MOST_RAW else "")
    return {
        "external_id": _storable(_external_id(raw), _LONGEST_ID),
        "raw": _storable(cut, MOST_RAW + 1),
        "answered": [_storable(each, _LONGEST_SENTENCE) for each in sentences[:_MOST_SENTENCES]],
    }


def _external_id(raw: bytes | str) -> str:
    """The publisher's name for the item, if it can be read."""
    try:
        document = read_json(raw)
    except InputError:
        return ""
    name = document.get("external_id") if isinstance(document, dict) else None
    return name if isinstance(name, str) else ""


def _storable(text: str, longest: int) -> str:
    """Cut, and without what no database takes."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return cut.replace("\0", "\ufffd").encode(errors="replace").decode()
