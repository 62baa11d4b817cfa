"""Strings as the schema sees them: NFC strings, and free text as its set of words.

Unicode normalisation takes quadratic time on long runs of combining marks, so long strings with
runs over 30 (the bound of Unicode's stream-safe format, UAX #15) are refused before it.
"""

import unicodedata

from schema_registry.core.errors import OutsideDomain

MAX_STRING = 2_000
MAX_TEXT = 20_000
MAX_COMBINING_RUN = 30
_SHORT = 500  # up to here normalising is quick whatever the characters are

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
    if _is_plain(text, MAX_TEXT):
        spaced = text.translate(_ASCII_WORDS)
    else:
        _refuse_unreadable(text)
        folded = unicodedata.normalize("NFKC", text).casefold()
        spaced = "".join([character if character.isalnum() else " " for character in folded])
    return tuple(dict.fromkeys(spaced.split()))


def _is_plain(raw: str, limit: int) -> bool:
    """Whether the string is ASCII, and so its own NFC. Raises OutsideDomain if it is too long or has NUL."""
    _check_length(raw, limit)
    if "\0" in raw:
        raise OutsideDomain("The string contains the character NUL.")
    return raw.isascii()


def _check_length(raw: str, limit: int) -> None:
    if len(raw) > limit:
        raise OutsideDomain(f"The string is {len(raw):,} characters long; the limit is {limit:,}.")


def _refuse_unreadable(raw: str) -> None:
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise OutsideDomain("The string contains half a surrogate pair.") from None
    if len(raw) <= _SHORT:
        return
    run = 0
    for character in raw:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MAX_COMBINING_RUN:
            raise OutsideDomain(f"The string has more than {MAX_COMBINING_RUN} combining marks in a row.")
