"""Sentences that are stored in English and read in another language, with their values."""

from collections.abc import Iterator

import pytest
from django.utils import translation

from schema_registry.core import sentences
from schema_registry.core.stored_sentences import Stored, again

COUNTED = Stored("There were {rows:,} rows; usually there are {low:,}.")
NAMED = Stored("{item!r} is {state} ({why}).", words={"state"})


class Reversed:
    """Has the values in another order."""

    def gettext(self, message: str, /) -> str:
        return {
            "There were {rows:,} rows; usually there are {low:,}.": "{low:,} usually, {rows:,} now",
            "{item!r} is {state} ({why}).": "({why}) {state}: {item!r}",
            "gone": "away",
        }[message]

    def ngettext(self, one: str, several: str, count: int, /) -> str:
        raise NotImplementedError


@pytest.fixture
def elsewhere() -> Iterator[None]:
    sentences.translate_by(Reversed())
    yield
    sentences.translate_by(translation)


@pytest.mark.usefixtures("elsewhere")
def test_values_are_found_by_the_words_around_them_and_put_into_the_translation() -> None:
    assert COUNTED(rows=1_200, low=300) == "There were 1,200 rows; usually there are 300."
    assert COUNTED.again("There were 1,200 rows; usually there are 300.") == "300 usually, 1,200 now"
    said = NAMED(item="lot {7}\n(b)", state="gone", why="")
    assert NAMED.again(said) == "() away: 'lot {7}\\n(b)'"


@pytest.mark.usefixtures("elsewhere")
def test_what_is_no_such_sentence_stays_as_it_is() -> None:
    for said in ("", "There were 1,200 rows.", "KeyError: There were 5 rows; usually there are 6. Or so."):
        assert COUNTED.again(said) is None
        assert again(said, [COUNTED, NAMED]) == said


def test_numbers_are_written_as_the_language_has_them() -> None:
    assert COUNTED.again(COUNTED(rows=1_200, low=2.5)) == "There were 1,200 rows; usually there are 2.5."
    with translation.override("fr"):
        said = COUNTED.again(COUNTED(rows=1_200, low=2.5))
    assert said == "There were 1\N{NARROW NO-BREAK SPACE}200 rows; usually there are 2,5."
