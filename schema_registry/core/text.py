"""Strings as the schema sees them: NFC strings, and free text as its set of words.

Unicode normalisation takes quadratic time on long runs of combining marks, so strings with runs over 30
(the bound of Unicode's stream-safe format, UAX #15) are refused before it; and it makes some characters up
to 18 times as long, so the length is checked before and after.
"""

import re
import unicodedata
from collections import Counter

from schema_registry.core.errors import OutsideDomain
from schema_registry.core.sentences import gettext as _

MAX_STRING = 2_000
MAX_TEXT = 20_000
MAX_COMBINING_RUN = 30
_LONGEST_LIGATURE = 18  # U+FDFA

_LONG_RUN = re.compile(rb"[^\0]{%d}" % (MAX_COMBINING_RUN + 1))
_WORD = re.compile(r"[^\W_]+")
_ASCII_WORDS = str.maketrans(
    {chr(code): chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
)


def nfc(raw: str, limit: int = MAX_STRING) -> str:
    """The string in NFC. O(length).

    Raises OutsideDomain when it is longer than `limit`, before or after, or has NUL or a lone surrogate.
    """
    if _is_plain(raw, limit):
        return raw
    _refuse_unreadable(raw)
    normal = unicodedata.normalize("NFC", raw)
    _check_length(normal, limit)
    return normal


def words(text: str) -> tuple[str, ...]:
    """The distinct words in order of occurrence: NFKC, casefolded, split on non-alphanumerics.

    Raises as `nfc` does. A word is itself the only word of its own text.
    """
    return tuple(dict.fromkeys(words_of_folded(folded(text))))


def folded(text: str) -> str:
    """The text as its words are compared: NFKC, casefolded where it is not ASCII. Raises as `nfc` does."""
    if _is_plain(text, MAX_TEXT):
        return text
    _refuse_unreadable(text)
    if len(text) * _LONGEST_LIGATURE > MAX_TEXT:
        _check_written_out(text)
    return unicodedata.normalize("NFKC", text).casefold()


def words_of_folded(text: str) -> list[str]:
    """The words of a folded text, as often as they occur."""
    return text.translate(_ASCII_WORDS).split() if text.isascii() else _WORD.findall(text)


def _is_plain(raw: str, limit: int) -> bool:
    """Whether the string is ASCII, and so its own NFC. Raises OutsideDomain if it is too long or has NUL."""
    _check_length(raw, limit)
    if "\0" in raw:
        raise OutsideDomain(_("The string contains the character NUL."))
    return raw.isascii()


def _check_length(raw: str, limit: int) -> None:
    if len(raw) > limit:
        raise OutsideDomain(
            _("The string is {size:,} characters long; the limit is {limit:,}.", size=len(raw), limit=limit),
            fault="too_long",
        )


def _check_written_out(text: str) -> None:
    """Refuses a text that NFKC would make too long, before it does."""
    counted = Counter(text).items()
    length = sum(count * len(unicodedata.normalize("NFKC", character)) for character, count in counted)
    if length > MAX_TEXT:
        message = _(
            "The text is {size:,} characters long with its ligatures written out; the limit is {limit:,}.",
            size=length,
            limit=MAX_TEXT,
        )
        raise OutsideDomain(message, fault="too_long")


def _refuse_unreadable(raw: str) -> None:
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise OutsideDomain(_("The string contains half a surrogate pair.")) from None
    if _LONG_RUN.search(bytes(map(unicodedata.combining, raw))):
        raise OutsideDomain(
            _("The string has more than {limit} combining marks in a row.", limit=MAX_COMBINING_RUN)
        )
