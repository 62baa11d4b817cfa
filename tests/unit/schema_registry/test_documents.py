"""The examples in the documentation are true."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from schema_registry.core import extension
from schema_registry.core.errors import InvalidEvent, SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from tests.unit.schema_registry.operators import OPERATORS

_DOCS = Path(__file__).resolve().parents[3] / "docs"
_SCHEMA_PAGE = (_DOCS / "schema.md").read_text()
_LANGUAGE_PAGE = (_DOCS / "language.md").read_text()


def blocks(page: str, kind: str = "text") -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)\n```$", page, re.DOTALL | re.MULTILINE)


_DOCUMENT = json.loads(blocks(_SCHEMA_PAGE, "json")[0])
_SCHEMA = Schema.from_dict(_DOCUMENT)


def test_the_schema_of_the_page_is_one() -> None:
    assert _SCHEMA.to_dict() == _DOCUMENT


@pytest.mark.parametrize("block", blocks(_SCHEMA_PAGE))
def test_the_page_shows_the_violations_of_its_events(block: str) -> None:
    given, *said = block.split("\n")
    with pytest.raises(InvalidEvent) as caught:
        _SCHEMA.validate(json.loads(given.removeprefix("> ")))
    assert [f"{error.rule} {error.message}" for error in caught.value.errors] == said


@pytest.mark.parametrize("block", [block for block in blocks(_LANGUAGE_PAGE) if block.startswith("> ")])
def test_the_page_shows_what_is_said_about_a_mistake(block: str) -> None:
    lines = block.split("\n")
    text = "\n".join(line.removeprefix("> ") for line in lines if line.startswith("> "))
    with pytest.raises(SubscriptionError) as caught:
        parse(text, _SCHEMA)
    assert caught.value.pretty() == "\n".join(line for line in lines if not line.startswith("> "))


@pytest.mark.parametrize("block", [block for block in blocks(_LANGUAGE_PAGE) if block.startswith("event")])
def test_the_page_shows_what_matches(block: str) -> None:
    first, *rows = block.split("\n")
    given: dict[str, Any] = json.loads(first.removeprefix("event "))
    everything = {name: ["optional", "multiple"] for name in _SCHEMA.attributes}
    schema = extension.create_event_type(_SCHEMA, "anything", everything)
    event = schema.validate({"event_type": "anything", **given})
    for row in rows:
        answer, text = row.split(maxsplit=1)
        assert parse(text, schema).matches(event) == (answer == "yes"), row


def _schema_with_locations() -> Schema:
    schema = extension.create_domain(_SCHEMA, "place", {"kind": "string"})
    schema = extension.create_attribute(schema, "location", "place")
    everything = {name: ["optional", "multiple"] for name in schema.attributes}
    return extension.create_event_type(schema, "anything", everything)


@pytest.mark.parametrize("block", [each for each in blocks(_LANGUAGE_PAGE) if each.startswith("operators ")])
def test_the_page_shows_what_is_said_with_operators(block: str) -> None:
    schema = _schema_with_locations()
    first, *rows = block.removeprefix("operators ").split("\n")
    if first == "canonical":
        for row in rows:
            text, expected = re.split(r" +=> ", row)
            assert parse(text, schema, operators=OPERATORS).canonical == expected
    elif first.startswith("> "):
        with pytest.raises(SubscriptionError) as caught:
            parse(first.removeprefix("> "), schema, operators=OPERATORS)
        assert caught.value.pretty() == "\n".join(rows)
    else:
        event = schema.validate({"event_type": "anything", **json.loads(first)})
        for row in rows:
            answer, text = row.split(maxsplit=1)
            assert parse(text, schema, operators=OPERATORS).matches(event) == (answer == "yes"), row


def test_the_page_shows_canonical_texts() -> None:
    (block,) = [block for block in blocks(_LANGUAGE_PAGE) if block.startswith("canonical")]
    for row in block.split("\n")[1:]:
        text, expected = re.split(r" +=> ", row)
        assert parse(text, _SCHEMA).canonical == expected


@pytest.mark.parametrize(
    "text", ["x" * 5000, "(" * 33, " and ".join(["price<9"] * 129), " or ".join(["price=1"] * 65), "price\0"]
)
def test_the_page_shows_what_is_said_over_a_limit(text: str) -> None:
    with pytest.raises(SubscriptionError) as caught:
        parse(text, _SCHEMA)
    assert f"| {caught.value.message} |" in _LANGUAGE_PAGE


def test_the_first_example_of_the_page_parses() -> None:
    (example,) = [block for block in blocks(_LANGUAGE_PAGE, "") if block.startswith("(event_type")]
    assert parse(example, _SCHEMA).conjunctions
