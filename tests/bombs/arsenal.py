"""The bombs: small to send, or large and plainly so, and expensive to whoever takes them at their word."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

JSON, LINES = "application/json", "application/x-ndjson"
GZIP = {"Content-Encoding": "gzip"}
BOUNDARY = "a-line-between-parts"
FORM = f"multipart/form-data; boundary={BOUNDARY}"
PUBLISHER, SUBSCRIBER, READER, NOBODY = "publisher", "subscriber", "reader", "nobody"


@dataclass(frozen=True, slots=True)
class Bomb:
    """`by` is whose key or session is sent along; `status` how it is refused.

    What `is_taken_apart`, as a batch may be, is answered line by line, and then each of them is refused.
    """

    name: str
    path: str
    body: Callable[[], bytes]
    status: int
    by: str = PUBLISHER
    kind: str = JSON
    method: str = "POST"
    headers: dict[str, str] = field(default_factory=dict)
    is_taken_apart: bool = False
    needs_server: bool = False
    """Whether it is stopped before Django, so that a test client would not meet what stops it."""


def bombs() -> list[Bomb]:
    return [*_json(), *_batches(), *_texts(), *_schema(), *_manners(), *_uploads()]


def _json() -> Iterator[Bomb]:
    def event(name: str, body: bytes | Callable[[], bytes], status: int = 400) -> Bomb:
        return Bomb(name, "/api/v1/events", body if callable(body) else lambda: body, status)

    def lot(price: str) -> bytes:
        return b'{"external_id": "lot 1", "event": {"event_type": ["lot"], "price": %s}}' % price.encode()

    yield event("JSON of 16 MB", lambda: b'{"a": "' + b"x" * 16_000_000 + b'"}', 413)
    yield event("500,000 lists in each other", lambda: b"[" * 500_000)
    yield event("100,000 objects in each other", lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
    yield event("33 levels", b"[" * 33 + b"]" * 33)
    yield event("a million commas and brackets", lambda: b"[" + b"0," * 490_000 + b"0]")
    yield event("NaN", lot("NaN"))
    yield event("Infinity", lot("-Infinity"))
    yield event("1e400", lot("1e400"), 422)
    yield event("1e999999999", lot("1e999999999"), 422)
    yield event("a number of 900,000 digits", lambda: lot("9" * 900_000))
    yield event("a key given twice", b'{"external_id": "lot 1", "external_id": "lot 2", "event": {}}')
    yield event("30,000 keys, one given twice", partial(_keys_twice, 30_000))
    yield event("half a surrogate pair", lot('"\\ud800"'))
    yield event("NUL", lot('"\\u0000"'))
    yield event("bytes that are not UTF-8", b'{"external_id": "\xff\xfe"}')
    yield event("100,000 values of an attribute", lambda: lot(json.dumps(["x"] * 90_000)), 422)
    yield event("5,000 attributes that there are not", partial(_unknown_attributes, 5_000), 422)


def _keys_twice(count: int) -> bytes:
    return b"{" + b",".join(b'"k%d":0' % number for number in range(count)) + b',"k0":0}'


def _unknown_attributes(count: int) -> bytes:
    event = {"event_type": ["lot"]} | {f"attribute{number}": 1 for number in range(count)}
    return json.dumps({"external_id": "lot 1", "event": event}).encode()


def _batches() -> Iterator[Bomb]:
    def batch(name: str, body: Callable[[], bytes], status: int = 400, **options: Any) -> Bomb:
        return Bomb(name, "/api/v1/events/batch", body, status, kind=LINES, **options)

    zeros, thin = partial(_zipped, 100_000_000), partial(_blank_lines, 30_000_000)
    yield batch("gzip, a thousandfold: one line of 100 MB", zeros, headers=GZIP)
    wide = partial(_zipped, 10_000, b" " * 9_999 + b"\n")
    yield batch("gzip, a thousandfold: 10,000 lines of 10 kB, all blank", wide, headers=GZIP)
    yield batch("gzip, a hundredfold: 30 MB of blank lines", thin, 200, headers=GZIP, is_taken_apart=True)
    yield batch("gzip in gzip", lambda: gzip.compress(zeros()), 200, headers=GZIP, is_taken_apart=True)
    yield batch("gzip, cut off", lambda: zeros()[:500], headers=GZIP)
    yield batch("not gzip", lambda: b"x" * 1_000_000, headers=GZIP)
    yield batch("a line of 20 MB", lambda: b"x" * 20_000_000)
    yield batch("30 MB of blank lines", lambda: b"\n" * 30_000_000)
    yield batch("a line that ends in its middle", lambda: b'{"external_id": "lot', 200, is_taken_apart=True)


def _zipped(count: int, piece: bytes = b"[") -> bytes:
    return gzip.compress(piece * count)


def _blank_lines(count: int) -> bytes:
    """Among them just as much noise as keeps the ratio below what is refused for that."""
    noise = Random(7).randbytes(count // 150).replace(b"\n", b"x")
    piece = count // 1_000
    parts = (
        noise[number * len(noise) // 1_000 : (number + 1) * len(noise) // 1_000] + b"\n" * piece
        for number in range(1_000)
    )
    return gzip.compress(b"".join(parts), compresslevel=9)


def _texts() -> Iterator[Bomb]:
    def text(name: str, said: str, path: str = "/api/v1/subscriptions") -> Bomb:
        return Bomb(name, path, lambda: json.dumps({"text": said}).encode(), 422, by=SUBSCRIBER)

    pairs = [f"(price = {number} or price = {number + 100})" for number in range(30)]
    yield text("a text of 900,000 bytes", "price = 1 or " * 70_000)
    yield text("4,000 parentheses", "(" * 4_000)
    yield text("30 choices of two, a thousand million alternatives", " and ".join(pairs))
    yield text("the same, as a preview", " and ".join(pairs), "/api/v1/subscriptions/preview")
    yield text("1,000 negations of nothing", "not " * 1_000 + "nothing = 1")
    yield text("300 predicates", " or ".join(f"price = {number}" for number in range(300)))
    yield text("a sum of 500 numbers", "money(price, 'EUR', ?eur) and ?eur < " + " + ".join(["1"] * 500))
    yield text("1,300 combining marks", f"title contains '{'a' + chr(0x301) * 1_300}'")
    yield text("a number of 4,000 digits", f"price = {'9' * 4_000}")
    yield text("no word of ours", "x " * 2_000)
    many = [{"name": "", "text": f"nothing{number} = 1"} for number in range(9_000)]
    for entry in many:
        entry |= {"state": "active", "expires_at": None}  # type: ignore[dict-item]
    document = {"format": "lesubscribe-subscriptions", "version": 1, "subscriptions": many}
    document |= {"exported_at": "2026-11-16T12:00:00Z"}
    body = partial(_encoded, document)
    yield Bomb("an import of 9,000 wrong texts", "/api/v1/subscriptions/import", body, 422, by=SUBSCRIBER)


def _encoded(document: Any) -> bytes:
    return json.dumps(document).encode()


def _schema() -> Iterator[Bomb]:
    def domain(name: str, values: Callable[[], dict[str, str | None]], status: int = 422) -> Bomb:
        def body() -> bytes:
            definition = {"kind": "hierarchical", "values": values()}
            return _encoded({"name": "bomb", "definition": definition})

        return Bomb(name, "/api/v1/schema/domains", body, status)

    def ring(count: int) -> dict[str, str | None]:
        return {f"v{number}": f"v{(number + 1) % count}" for number in range(count)}

    yield domain("a hierarchy of two that go in a circle", partial(ring, 2))
    yield domain("a circle of 20,000", partial(ring, 20_000))
    yield domain("a value above itself", lambda: {"a": "a"})
    yield domain("a chain of 20,000", lambda: {**ring(20_000), "v19999": None})
    marks = {"name": "a" + "\u0301\u0316" * 200_000, "definition": {"kind": "string"}}
    yield Bomb("a name of 400,000 combining marks", "/api/v1/schema/domains", partial(_encoded, marks), 422)


def _manners() -> Iterator[Bomb]:
    large = partial(bytes, 900_000)
    for kind in ("application/xml", "text/csv", FORM, "application/x-www-form-urlencoded", "nonsense"):
        yield Bomb(f"{kind.partition(';')[0]}, 900 kB", "/api/v1/events", large, 415, kind=kind)
    for method in ("PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"):
        yield Bomb(f"{method}, 900 kB", "/api/v1/events", large, 405, method=method)
    long = "/api/v1/events?" + "&".join(f"p{number}=1" for number in range(2_000))
    yield Bomb("2,000 parameters", long, bytes, 400, method="GET")


def _uploads() -> Iterator[Bomb]:
    def upload(name: str, content: Callable[[], bytes], status: int = 422, **options: Any) -> Bomb:
        given = {"by": READER, "kind": FORM, **options}
        return Bomb(name, "/searches/import", content, status, **given)

    yield upload("a file of 8.5 MB", partial(_file, b"x" * 8_500_000))
    yield upload("a file of 8 MB of brackets", partial(_file, b"[" * 7_900_000))
    yield upload("a file of 7 MB of lists", partial(_file, b"[" + b"[]," * 2_300_000 + b"[]]"))
    yield upload("a compressed file", lambda: _file(_zipped(20_000_000)))
    yield upload("a file with a name of 1 MB", lambda: _file(b"{}", name=b"x" * 1_000_000), 400)
    yield upload("20,000 fields", partial(_fields, 20_000), 400)
    yield upload("20,000 files", partial(_files, 20_000), 400)
    declared: dict[str, Any] = {"headers": {"Content-Length": "60000000"}, "needs_server": True}
    yield upload("a form that says it has 60 MB", partial(_file, bytes(50_000)), 413, **declared)
    yield upload("the same, from nobody", partial(_file, bytes(50_000)), 413, by=NOBODY, **declared)
    yield Bomb(
        "JSON that says it has 60 MB", "/api/v1/schema/domains", partial(bytes, 50_000), 413, **declared
    )


def _part(disposition: bytes, content: bytes) -> bytes:
    head = b"Content-Disposition: form-data; " + disposition
    return b"--%s\r\n%s\r\n\r\n%s\r\n" % (BOUNDARY.encode(), head, content)


def _ended(parts: bytes) -> bytes:
    return parts + b"--%s--\r\n" % BOUNDARY.encode()


def _file(content: bytes, *, name: bytes = b"searches.json") -> bytes:
    return _ended(_part(b'name="file"; filename="%s"' % name, content))


def _fields(count: int) -> bytes:
    return _ended(b"".join(_part(b'name="field%d"' % number, b"1") for number in range(count)))


def _files(count: int) -> bytes:
    named = (b'name="file%d"; filename="a.json"' % number for number in range(count))
    return _ended(b"".join(_part(name, b"{}") for name in named))
