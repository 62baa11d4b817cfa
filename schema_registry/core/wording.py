"""How values and names from outside stand in our sentences."""

from collections.abc import Collection

from schema_registry.core.sentences import gettext as _

_LONGEST = 60
_JSON_NAMES = {None: "null", True: "true", False: "false"}


def shown(raw: object) -> str:
    """A value from outside: strings quoted, long ones cut, nothing that cannot be encoded."""
    if raw is None or isinstance(raw, bool):
        return _JSON_NAMES[raw]
    if isinstance(raw, dict):
        return _("an object")
    if isinstance(raw, list | tuple | set | frozenset):
        return _("a list")
    if isinstance(raw, int) and raw.bit_length() > 200:  # writing it out would take long
        return _("the integer")
    return f"'{printable(raw)}'" if isinstance(raw, str) else printable(str(raw))


def printable(text: str) -> str:
    """The text on one line, cut when long, with escapes for control characters and lone surrogates."""
    cut = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    if cut.isprintable():
        return cut
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in cut
    )


def said_of(what: object, said: object) -> str:
    """What is said, behind what it is said of: other languages put more than a colon between them."""
    return _("{what}: {said}", what=what, said=said)


def did_you_mean(suggestion: str | None) -> str:
    """The sentence to add to a message, with a leading space; empty without a suggestion."""
    return " " + _("Did you mean '{suggestion}'?", suggestion=suggestion) if suggestion else ""


def either(names: Collection[str]) -> str:
    """The names in order, joined by "or"; five at most."""
    return _(" or ").join(sorted(names)[:5])
