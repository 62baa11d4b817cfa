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
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_noop
from schema_registry.core.wording import shown

MAX_BYTES = 1_000_000
MAX_ITEMS = 200_000
MAX_DEPTH = 32
MAX_NUMBER = 1_000  # characters; reading an integer takes quadratic time

_CONTAINERS = (dict, list)
# What the library says of a text, and what we say.
_WHY = {
    "Expecting value": gettext_noop(
        "This is not JSON: here should be a value (line {line}, column {column})."
    ),
    "Expecting property name enclosed in double quotes": gettext_noop(
        "This is not JSON: here should be a name in double quotes (line {line}, column {column})."
    ),
    "Expecting ':' delimiter": gettext_noop(
        "This is not JSON: here should be a colon (line {line}, column {column})."
    ),
    "Expecting ',' delimiter": gettext_noop(
        "This is not JSON: here should be a comma (line {line}, column {column})."
    ),
    "Extra data": gettext_noop(
        "This is not JSON: something follows after its end (line {line}, column {column})."
    ),
}
_CUT = gettext_noop("This is not JSON: it ends too soon (line {line}, column {column}).")
_ODD = gettext_noop("This is not JSON: this cannot stand here (line {line}, column {column}).")
_BYTE_ORDER_MARK = "\ufeff"
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
        raise InvalidJson(
            _("The body is {size:,} bytes long; the limit is {limit:,}.", size=len(body), limit=max_bytes)
        )
    text = _decoded(body)
    items = sum(map(text.count, ",[]{}"))
    if items > max_items:
        message = _(
            "The body has {items:,} commas and brackets; the limit is {limit:,}.",
            items=items,
            limit=max_items,
        )
        raise InvalidJson(message)
    try:
        value = json.loads(
            text,
            parse_int=_integer,
            parse_float=_decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise InvalidJson(_why_no_json(error), line=error.lineno, column=error.colno) from None
    except RecursionError:  # json stops at Python's limit, some hundreds of levels
        raise _too_deep(max_depth) from None
    if text.count("[") + text.count("{") > max_depth:
        _check_depth(value, max_depth)
    if _UNWANTED_ESCAPE.search(text):  # only an escape can bring these in: the decoded text itself has none
        _check_strings(value)
    return value


def in_a_file(content: bytes) -> str:
    """The text of a file that somebody may have saved with an editor. Raises InvalidJson."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeError:
        raise InvalidJson(_("This file is not UTF-8. Save it with this encoding, and try again.")) from None


def _why_no_json(error: json.JSONDecodeError) -> str:
    """In our own words: those of the library are English, and for programmers."""
    if not error.doc.strip():
        return _("This is not JSON: it is empty.")
    if error.doc.startswith(_BYTE_ORDER_MARK):
        return _("This is not JSON: it begins with a byte order mark.")
    is_cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    sentence = _CUT if is_cut else _WHY.get(error.msg, _ODD)
    return _(sentence, line=error.lineno, column=error.colno)


def _decoded(body: bytes | str) -> str:
    try:
        if isinstance(body, str):
            body.encode()
            return body
        return body.decode()
    except UnicodeError:
        raise InvalidJson(_("The body is not UTF-8.")) from None


def _check_depth(value: object, limit: int) -> None:
    level: list[Any] = [value]  # it is full of brackets: a container, or a string
    for _level in range(limit):
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
    return InvalidJson(_("The JSON is nested more than {limit} levels deep.", limit=limit))


def _integer(digits: str) -> int:
    _check_digits(digits)
    return int(digits)


def _decimal(digits: str) -> Decimal:
    _check_digits(digits)
    try:
        return Decimal(digits)
    except ArithmeticError:
        raise InvalidJson(_("A number's exponent is too large.")) from None


def _check_digits(digits: str) -> None:
    if len(digits) > MAX_NUMBER:
        raise InvalidJson(_("A number is more than {limit:,} characters long.", limit=MAX_NUMBER))


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidJson(_("{name} is not a number that JSON or we know.", name=name))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _times),) = Counter(key for key, _value in pairs).most_common(1)
        raise InvalidJson(_("The key {key} is given twice in one object.", key=shown(twice)))
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
                raise InvalidJson(_("A string contains the character NUL."))
            try:
                part.encode()
            except UnicodeEncodeError:
                raise InvalidJson(_("A string contains half a surrogate pair.")) from None
