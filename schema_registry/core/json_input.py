"""JSON from outside, read strictly and with bounded work.

Numbers with a fraction or an exponent become Decimals, so that nothing is rounded before the schema sees
it. Refused, each with one sentence: bodies over the cap, more commas and brackets than allowed (what a
body costs goes by them), deep nesting, NaN and infinities, duplicate keys, half surrogate pairs, NUL,
numbers too long to be read, and whatever is not JSON.
"""

import json
import re
from collections import Counter
from decimal import Decimal
from typing import Any, NoReturn

from schema_registry.core.errors import InvalidJson
from schema_registry.core.wording import shown

MAX_BYTES = 1_000_000
MAX_ITEMS = 200_000
MAX_DEPTH = 32
MAX_NUMBER = 1_000  # characters; reading an integer takes quadratic time

_CONTAINERS = (dict, list)
_UNWANTED_ESCAPE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)


def read_json(
    body: bytes | str,
    *,
    max_bytes: int = MAX_BYTES,
    max_items: int = MAX_ITEMS,
    max_depth: int = MAX_DEPTH,
) -> Any:
    """The value that the body holds. O(size); refusals cost no more. Raises InvalidJson.

    `max_items` limits commas and brackets, those inside strings included: counting them takes 4 ms per MB.
    """
    if len(body) > max_bytes:
        raise InvalidJson(f"The body is {len(body):,} bytes long; the limit is {max_bytes:,}.")
    text = _decoded(body)
    items = sum(map(text.count, ",[]{}"))
    if items > max_items:
        raise InvalidJson(f"The body has {items:,} commas and brackets; the limit is {max_items:,}.")
    try:
        value = json.loads(
            text,
            parse_int=_integer,
            parse_float=_decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InvalidJson(f"This is not JSON: {error.msg} at {place}.") from None
    except RecursionError:  # json stops at Python's limit, some hundreds of levels
        raise _too_deep(max_depth) from None
    if text.count("[") + text.count("{") > max_depth:
        _check_depth(value, max_depth)
    if _UNWANTED_ESCAPE.search(text):  # only an escape can bring these in: the decoded text itself has none
        _check_strings(value)
    return value


def _decoded(body: bytes | str) -> str:
    try:
        if isinstance(body, str):
            body.encode()
            return body
        return body.decode()
    except UnicodeError:
        raise InvalidJson("The body is not UTF-8.") from None


def _check_depth(value: object, limit: int) -> None:
    level: list[Any] = [value]  # it is full of brackets: a container, or a string
    for _ in range(limit):
        level = [
            inner
            for container in level
            for inner in (container.values() if isinstance(container, dict) else container)
            if isinstance(inner, _CONTAINERS)
        ]
        if not level:
            return
    raise _too_deep(limit)


def _too_deep(limit: int) -> InvalidJson:
    return InvalidJson(f"The JSON is nested more than {limit} levels deep.")


def _integer(digits: str) -> int:
    if len(digits) > MAX_NUMBER:
        raise InvalidJson(f"A number is more than {MAX_NUMBER:,} characters long.")
    return int(digits)


def _decimal(digits: str) -> Decimal:
    if len(digits) > MAX_NUMBER:
        raise InvalidJson(f"A number is more than {MAX_NUMBER:,} characters long.")
    try:
        return Decimal(digits)
    except ArithmeticError:
        raise InvalidJson("A number's exponent is too large.") from None


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidJson(f"{name} is not a number that JSON or we know.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise InvalidJson(f"The key {shown(twice)} is given twice in one object.")
    return found


def _check_strings(value: object) -> None:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(part)
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, str) and not part.isprintable():
            if "\0" in part:
                raise InvalidJson("A string contains the character NUL.")
            try:
                part.encode()
            except UnicodeEncodeError:
                raise InvalidJson("A string contains half a surrogate pair.") from None
