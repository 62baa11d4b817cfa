"""A search while somebody builds it: rows and text, in step. Whichever was changed last decides."""

from dataclasses import dataclass

from notifications.core.reasons import search_in_words
from notifications.core.wording import LONGEST_NAME, one_line
from notifications.pages.search_form import NEW_SEARCH, Path, Posted, done
from notifications.pages.search_size import TooLarge, check_size
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.known_operators import OPERATORS
from schema_registry.language import parse
from schema_registry.language.outline import Group, outline, written


@dataclass(frozen=True, slots=True)
class Building:
    """`text_was` is what the rows say; when the text says something else, it has a mistake."""

    group: Group
    text: str
    text_was: str
    error: str = ""
    focus: Path | None = None


def begun(text: str) -> Building:
    """A page that opens with this text."""
    return from_text(text.strip(), beside=NEW_SEARCH, text_was="")


def from_text(text: str, *, beside: Group, text_was: str) -> Building:
    """The rows of the text; `beside` are those that stay when it has a mistake."""
    if not text:
        return Building(NEW_SEARCH, "", "")
    try:
        group = outline(text)
        check_size(group)
    except SubscriptionError as error:
        return Building(beside, text, text_was, error.message)
    except TooLarge as error:
        return Building(beside, text, text_was, str(error))
    return Building(group, text, text)


def from_rows(group: Group, *, focus: Path | None = None) -> Building:
    text = written(group)
    return Building(group, text, text, focus=focus)


def after(posted: Posted, *, is_from_text: bool) -> Building:
    """What was sent, and the button done. Raises TooLarge when that gives more than a search has."""
    if is_from_text:
        text_was = written(posted.group)
        return from_text(posted.text, beside=posted.group, text_was=text_was)
    group, focus = done(posted.group, posted.pressed)
    check_size(group)
    return from_rows(group, focus=focus)


def suggested_name(text: str, schema: Schema) -> str:
    """What the search is called if nobody names it; empty for a text that has a mistake."""
    if not text:
        return ""
    try:
        expression = parse(text, schema, operators=OPERATORS).expression
    except SubscriptionError:
        return ""
    return one_line(search_in_words(expression, schema.domain_of, OPERATORS), most=LONGEST_NAME)
