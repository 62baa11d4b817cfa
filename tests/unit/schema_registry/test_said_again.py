"""What was stored in English is read in French with its values: of rows, of files, of receivers."""

import re

import pytest
from django.utils import translation

from matching.feeds.mapping import CORRUPT
from matching.stored_reasons import again
from schema_registry import said_again
from tests.unit.feeds.market import ROW, rejected

QUOTED = re.compile(r"'[^']+' ")
REVISION_USED = "Revision 3 of 'lot 7' was used for another body."


@pytest.mark.parametrize(
    "row",
    [
        {**ROW, CORRUPT: '{"ItemID'},
        {**ROW, "Price": "call us", "Town": "Atlantis", "Ends": "soon"},
        {**ROW, "ItemID": "", "Link": "ftp://x"},
    ],
)
def test_why_a_row_was_rejected_is_read_in_french(row: dict[str, str | None]) -> None:
    for reject in rejected(row):
        assert said_again.again(reject.message) == reject.message
        with translation.override("fr"):
            read = said_again.again(reject.message)
        assert read != reject.message
        assert QUOTED.findall(read) == QUOTED.findall(reject.message)


def test_a_suggestion_and_what_is_known_already_are_read_too() -> None:
    with translation.override("fr"):
        told = said_again.again("'tabel' is not one of its values. Did you mean 'table'?")
        assert told.startswith("'tabel' n")
        assert told.endswith("Vouliez-vous dire «\xa0table\xa0»\xa0?")
        assert said_again.again(REVISION_USED).startswith("La révision 3 de 'lot 7' ")


def test_what_no_sentence_of_ours_is_stays_as_it_is() -> None:
    with translation.override("fr"):
        assert said_again.again("java.lang.OutOfMemoryError: heap. Really") == (
            "java.lang.OutOfMemoryError: heap. Really"
        )
        assert again("It cannot be read (EOFError: cut).") == "Il ne peut pas être lu (EOFError: cut)."


def test_several_sentences_are_read_one_by_one() -> None:
    with translation.override("fr"):
        told = said_again.again("There is no host ntfy.example. There is no event type 'lots'.")
    assert told.startswith("Il n")
    assert (told.count("ntfy.example"), told.count("'lots'"), told.count("There is")) == (1, 1, 0)
