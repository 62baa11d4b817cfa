"""What schemathesis cannot know of our API: whose key an operation needs, and what makes sense in a field.

It makes requests of any shape by itself, but would hardly ever hit a text of our language, or an event that
fits the schema; so in half of the bodies some fields get a value that does.
"""

import gzip
import json
import random
from typing import Any

import schemathesis
from hypothesis import strategies as st
from schemathesis.specs.openapi.schemas import OpenApiSchema

from tests.hostile.stage import Keys

LINES = "application/x-ndjson"
# Where the key of a publisher is needed.
_OF_PUBLISHERS = ("/api/v1/events", "/api/v1/schema")
_SHARE_OF_OTHER_KEYS = 0.06
_SHARE_WITHOUT_A_KEY = 0.03

_LOTS: list[dict[str, Any]] = [
    {"event_type": ["lot"], "price": 180},
    {"event_type": ["lot"], "price": [180, "190.50"], "category": "dining-table", "title": "Oak table"},
    {"event_type": ["lot"], "price": 1e300},
    {"event_type": ["lot"], "price": -1},
    {"event_type": ["lot"], "category": "no such thing"},
    {"event_type": ["lot"], "material": ["oak", "\u0000", "\ud800", "é" * 5_000]},
    {"event_type": []},
]
_ENVELOPES = [{"external_id": f"lot {number}", "event": lot} for number, lot in enumerate(_LOTS)]
_TEXTS = [
    "price <= 200",
    "price between 100 and 1e400",
    'category <= table and not title contains "oak"',
    "price = 1 or (price = 2 and (price = 3 or price = 4))",
    "not (not (price exists))",
    "money(price, 'EUR', ?eur) and ?eur < 100",
    "price <=",
    "nothing = 1",
    "(" * 500,
    "price = 1 or " * 300 + "price = 2",
    '"\ud800"',
]
_NAMES = ["lot", "price", "category", "money", "furniture", "lots", "title", "", " ", "x" * 300, "événement"]
_DEFINITIONS: list[dict[str, Any]] = [
    {"kind": "numeric", "min": 0, "unit": "EUR"},
    {"kind": "numeric", "min": 5, "max": 1},
    {"kind": "enumerated", "values": ["oak", "elm"]},
    {"kind": "hierarchical", "values": {"a": None, "b": "a"}},
    {"kind": "hierarchical", "values": {"a": "b", "b": "a"}},
    {"kind": "text"},
    {"kind": "nonsense"},
]
_MOMENTS = [
    "2026-11-16T12:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00",
    "12:00",
    "25:00",
]
PLAUSIBLE: dict[str, list[Any]] = {
    "text": _TEXTS,
    "event": _LOTS,
    "external_id": [f"lot {number}" for number in range(5)],
    "view": ["lots", "none"],
    "name": _NAMES,
    "attribute": _NAMES,
    "domain": _NAMES,
    "definition": _DEFINITIONS,
    "attributes": [["price"], {"price": ["mandatory", "unique"]}, {"price": ["nonsense"]}, {"nothing": []}],
    "event_types": [["lot"], ["nothing"], []],
    "kind": ["email", "webhook", "chat"],
    "address": [
        "reader@example.org",
        "https://hooks.example.org/",
        "ntfys://ntfy.sh/topic",
        "http://[::1]/",
        "http://[",
        "mailto://a:b@c",
    ],
    "channels": ["all", [], [1], [1, 2, 2**63]],
    "state": ["active", "paused", "muted", "disabled"],
    "time_zone": ["Europe/Paris", "Mars/Olympus", "../../etc/passwd"],
    "from": _MOMENTS,
    "until": _MOMENTS,
    "ends_at": _MOMENTS,
    "quiet_from": _MOMENTS,
    "revision": [1, 2, 2**31, 2**63],
    "valid_days": [1, 30, None, 2**31],
    "url": ["https://belleroche.example/lots/7", "javascript:alert(1)", "http://[", "https://é.example/"],
    "ids": [[1], [1, 2, 3], list(range(2_000))],
    "up_to": [1, 2**63],
    "subscriptions": [
        [{"name": "a", "text": "price <= 1", "state": "active", "expires_at": None}],
        [{"name": "a", "text": "price <=", "state": "expired", "expires_at": "2020-01-01T00:00:00Z"}],
    ],
    "format": ["lesubscribe-subscriptions"],
}


def teach(schema: OpenApiSchema, keys: Keys, *, seed: int, has_worker: bool) -> None:
    """Give the schema its keys and values. Without a worker no dry run is asked for: nobody would answer."""
    schema.auth(refresh_interval=None)(_provider(keys, random.Random(seed)))

    @schema.hook
    def flatmap_body(context: Any, body: Any) -> st.SearchStrategy:
        return _perhaps_plausible(body) if isinstance(body, dict) else st.just(body)

    @schema.hook
    def flatmap_path_parameters(context: Any, path_parameters: Any) -> st.SearchStrategy:
        return _perhaps_there(path_parameters) if path_parameters else st.just(path_parameters)

    @schema.hook
    def map_query(context: Any, query: Any) -> Any:
        is_event = context.operation is not None and context.operation.path == "/api/v1/events"
        if not has_worker and is_event and isinstance(query, dict):
            query.pop("dry_run", None)
        return query


@st.composite
def _perhaps_plausible(draw: st.DrawFn, body: dict[str, Any]) -> dict[str, Any]:
    known = [name for name in body if name in PLAUSIBLE]
    if not known or not draw(st.booleans()):
        return body
    chosen = draw(st.sets(st.sampled_from(known), min_size=1))
    return {**body, **{name: draw(st.sampled_from(PLAUSIBLE[name])) for name in sorted(chosen)}}


@st.composite
def _perhaps_there(draw: st.DrawFn, parameters: dict[str, Any]) -> dict[str, Any]:
    """Mostly the names of what may be there: by itself it would hardly ever draw one."""
    if draw(st.integers(0, 3)) == 0:
        return parameters
    there = {"number": st.integers(1, 12), "event_type": st.just("lot")}
    return {name: draw(there[name]) if name in there else value for name, value in parameters.items()}


def _provider(keys: Keys, draws: random.Random) -> type:
    class OwnKeyMostly:
        def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
            point = draws.random()
            if point < _SHARE_WITHOUT_A_KEY:
                return ""
            if point < _SHARE_WITHOUT_A_KEY + _SHARE_OF_OTHER_KEYS:
                return draws.choice((*keys.others, keys.publisher, keys.subscriber, "nonsense", "é"))
            return keys.publisher if case.path.startswith(_OF_PUBLISHERS) else keys.subscriber

        def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
            if data:
                case.headers["Authorization"] = f"Bearer {data}"

    return OwnKeyMostly


def _line(value: Any) -> bytes:
    return json.dumps(value).encode()


_SOME_LINE = st.one_of(
    st.sampled_from([_line(envelope) for envelope in _ENVELOPES]),
    st.sampled_from(
        [b"", b"{", b"[" * 99, b'{"external_id": NaN}', b"\xff", b'{"a": 1, "a": 2}', b"1e999999999"]
    ),
    st.binary(max_size=60),
)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Lines of a batch, good and bad; now and then compressed or cut off."""
    body = b"\n".join(draw(st.lists(_SOME_LINE, max_size=6)))
    match draw(st.integers(0, 9)):
        case 0:
            return gzip.compress(body)
        case 1:
            return body[: len(body) // 2]
    return body


schemathesis.openapi.media_type(LINES, lines())
