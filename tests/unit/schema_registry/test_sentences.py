"""Sentences for people: in English as they are written, and in the words of a translator if there is one."""

import re
from collections.abc import Iterator
from gettext import NullTranslations

import pytest
from django.utils import translation

from schema_registry.core import definitions, sentences
from schema_registry.core.errors import SchemaError
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import LazyText, gettext, gettext_lazy, ngettext


class Loud:
    """Cries all that it is given, placeholders left alone."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def gettext(self, message: str, /) -> str:
        self.asked.append(message)
        return f"{message}!"

    def ngettext(self, one: str, several: str, count: int, /) -> str:
        return self.gettext(one if count == 1 else several)


@pytest.fixture
def loud() -> Iterator[Loud]:
    translator = Loud()
    sentences.translate_by(translator)
    yield translator
    sentences.translate_by(translation)


@pytest.fixture
def english() -> Iterator[None]:
    """As in a process without Django."""
    sentences.translate_by(NullTranslations())
    yield
    sentences.translate_by(translation)


@pytest.mark.usefixtures("english")
def test_without_a_translator_the_english_stays() -> None:
    assert gettext("At most {most:,} values.", most=2_000) == "At most 2,000 values."
    assert ngettext("{count} day", "{count} days", 1) == "1 day"
    assert ngettext("{count} day", "{count} days", 2) == "2 days"


@pytest.mark.usefixtures("loud")
def test_a_sentence_is_translated_before_its_values_are_put_in() -> None:
    assert gettext("There is no {name}.", name="{oak}") == "There is no {oak}.!"
    assert ngettext("{count} of {all}", "{count} of {all}", 2, all=3) == "2 of 3!"


def test_braces_stay_where_there_are_no_values() -> None:
    assert gettext("{}") == "{}"


def test_a_lazy_text_is_translated_when_it_is_read(loud: Loud) -> None:
    inner = gettext_lazy("The name of {what}", what=LazyText("a domain"))
    assert loud.asked == []
    assert str(inner) == "The name of a domain!!"


def test_reading_a_schema_that_is_right_asks_for_no_translation(loud: Loud) -> None:
    values = {"furniture": None, "table": "furniture"}
    document = {
        "domains": {"kinds": {"kind": "hierarchical", "values": values, "labels": {"table": "Tables"}}},
        "attributes": {"kind": "kinds"},
        "event_types": {"lot": {"kind": ["mandatory", "unique"]}},
    }
    schema = Schema.from_dict(document)
    schema.validate({"event_type": "lot", "kind": "table"})
    assert loud.asked == []


@pytest.mark.usefixtures("loud")
def test_a_part_of_a_refusal_is_translated_too() -> None:
    sentence = "The values of an enumerated domain! must be a list; null is not.!"
    with pytest.raises(SchemaError, match=f"^{re.escape(sentence)}$"):
        definitions.domain({"kind": "enumerated"})
