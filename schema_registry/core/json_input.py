"""JSON from outside, read strictly and with bounded work.

Numbers with a fraction or an exponent become Decimals, so that nothing is rounded before the schema sees
it. Refused, each with one sentence: bodies over the cap, deep nesting, NaN and infinities, duplicate keys,
half surrogate pairs, NUL, integers too long to be read, and whatever is not JSON.
"""

import json
import re
from collections import Counter
from decimal import Decimal
from typing import Any, NoReturn

from schema_registry.core.errors import InvalidJson
from schema_registry.core.wording import shown

MAX_BYTES = 1_000_000
MAX_DEPTH = 32

# A string that is never closed is taken up to the end, or else the search would start again inside it.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def read_json(body: bytes | str, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> Any:
    """The value that the body holds. O(size); refusals cost no more. Raises InvalidJson."""
    if len(body) > max_bytes:
        raise InvalidJson(f"The body is {len(body):,} bytes long; the limit is {max_bytes:,}.")
    text = _decoded(body)
    _check_depth(text, max_depth)
    try:
        value = json.loads(
            text, parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InvalidJson(f"This is not JSON: {error.msg} at {place}.") from None
    except InvalidJson:
        raise
    except (ValueError, ArithmeticError):  # int() refuses over 4,300 digits, Decimal absurd exponents
        raise InvalidJson("A number is too long or its exponent too large.") from None
    if "\\u" in text:  # only an escape can bring these in: the decoded text itself has none
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


def _check_depth(text: str, limit: int) -> None:
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        character = text[found.start()]
        if character in "[{":
            depth += 1
            if depth > limit:
                raise InvalidJson(f"The JSON is nested more than {limit} levels deep.")
        elif character in "]}":
            depth -= 1


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
