"""What the editor of searches asks: what could come next, and what is wrong."""

import json
from typing import Any

import pytest
from django.test import Client

from schema_registry import services
from schema_registry.pages_language import LARGEST_BODY

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

BY_STAFF = services.Author(None)


@pytest.fixture(autouse=True)
def schema() -> None:
    services.create_domain(BY_STAFF, "money", {"kind": "numeric", "unit": "EUR"})
    services.create_attribute(BY_STAFF, "price", "money")


def ask(client: Client, page: str, document: Any) -> Any:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return client.post(f"/language/{page}", body, content_type="application/json")


def test_anybody_hears_what_could_come_next(client: Client) -> None:
    answer = ask(client, "completions", {"text": "pri and x", "cursor": 3})
    assert answer.json() == {
        "start": 0,
        "end": 3,
        "offers": [{"text": "price", "kind": "attribute", "detail": "numeric, EUR"}],
    }


@pytest.mark.parametrize("cursor", [-5, 10**9, None, "2", 1.5, True])
def test_an_odd_cursor_is_no_harm(client: Client, cursor: object) -> None:
    assert ask(client, "completions", {"text": "price ", "cursor": cursor}).status_code == 200


def test_a_right_text_is_told_in_its_canonical_form(client: Client) -> None:
    answer = ask(client, "check", {"text": "price<=5 OR price>7"})
    assert answer.json() == {"ok": True, "canonical": "price <= 5 or price > 7", "warnings": []}


def test_an_alternative_that_can_never_hold_is_warned_of(client: Client) -> None:
    (warning,) = ask(client, "check", {"text": "price < 5 or price < 1 and price > 2"}).json()["warnings"]
    assert "can never hold" in warning


def test_a_mistake_is_told_with_its_place_and_what_to_write_instead(client: Client) -> None:
    error = ask(client, "check", {"text": "price > 1\nand prise < 5"}).json()["error"]
    assert (error["line"], error["column"], error["start"], error["end"]) == (2, 5, 14, 19)
    assert error["suggestion"] == "price"
    assert error["message"].startswith("There is no attribute 'prise'.")


def test_a_text_that_is_too_long_says_so(client: Client) -> None:
    error = ask(client, "check", {"text": "x" * 5_000}).json()["error"]
    assert "at most 4,096 bytes" in error["message"]
    assert ask(client, "completions", {"text": "x" * 5_000}).json()["offers"] == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"\xff", b'{"text": 1}', b"{", b'{"text": "\\u0000"}'])
@pytest.mark.parametrize("page", ["completions", "check"])
def test_what_is_no_question_is_refused(client: Client, page: str, body: bytes) -> None:
    assert ask(client, page, body).status_code == 400


def test_a_long_body_is_not_read(client: Client) -> None:
    assert ask(client, "check", b" " * (LARGEST_BODY + 1)).status_code == 413


def test_only_our_own_pages_may_ask() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert ask(strict, "check", {"text": "price > 1"}).status_code == 403
    assert strict.get("/language/check").status_code == 405


def test_a_question_takes_one_query(client: Client, django_assert_num_queries: Any) -> None:
    ask(client, "check", {"text": "price > 1"})
    for page in ("check", "completions"):
        with django_assert_num_queries(1):
            ask(client, page, {"text": "price > 1"})
