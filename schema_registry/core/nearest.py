"""The name somebody probably meant, found with bounded work."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MAX_SCANNED = 20_000
_MAX_COMPARED = 60
_MAX_LENGTH = 40


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The most similar of the first 20,000 names, or None.

    Only names of similar length with the same first or last letter are compared closely, 60 at most.
    """
    if not word or len(word) > _MAX_LENGTH:
        return None
    wanted = word.casefold()
    close: dict[str, str] = {}
    for name in islice(names, _MAX_SCANNED):
        if abs(len(name) - len(word)) > 3 or not name:
            continue
        folded = name.casefold()
        if folded == wanted:
            return name
        if len(close) < _MAX_COMPARED and (folded[0] == wanted[0] or folded[-1] == wanted[-1]):
            close.setdefault(folded, name)
    found = get_close_matches(wanted, close, n=1, cutoff=0.6)
    return close[found[0]] if found else None
