"""The strict JSON reader."""

import contextlib
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema_registry.core.errors import InvalidJson
from schema_registry.core.json_input import read_json


def test_numbers_keep_their_digits() -> None:
    assert read_json(b'{"a": 0.10, "b": [1, null, true], "c": "\\u00e9\\ud83d\\ude00"}') == {
        "a": Decimal("0.10"),
        "b": [1, None, True],
        "c": "é\U0001f600",
    }


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "not JSON: it is empty"),
        (b"{", r"not JSON: it ends too soon \(line 1, column 2\)"),
        (b'{"a": "b', r"not JSON: it ends too soon \(line 1, column 7\)"),
        (b"{1: 2}", "not JSON: here should be a name in double quotes"),
        (b"[1] 2", "not JSON: something follows after its end"),
        (b'"a\nb"', "not JSON: this cannot stand here"),
        (b"\xef\xbb\xbf{}", "not JSON: it begins with a byte order mark"),
        (b"NaN", "NaN"),
        (b"[-Infinity]", "Infinity"),
        (b'{"a": 1, "b": 2, "a": 3}', "'a' is given twice"),
        (b'"\\ud800"', "surrogate"),
        (b'{"\\udc00": 1}', "surrogate"),
        (b'"\\u0000"', "NUL"),
        (b'"\xff"', "UTF-8"),
        ('"\ud800"', "UTF-8"),
        (b"1" * 1001, "1,000 characters"),
        (b"0." + b"1" * 900_000, "1,000 characters"),
        (b"1e99999999999999999999", "exponent"),
        (b"[" * 33 + b"]" * 33, "32 levels"),
        (b'[1, {"a": ' * 17 + b"1" + b"}]" * 17, "32 levels"),
        (b"[" * 90_000 + b"]" * 90_000, "32 levels"),
        (b"[" * 90_000, "32 levels"),
        (b'{"a":' * 90_000, "32 levels"),
        (b"[" * 500_000, "500,000 commas and brackets; the limit is 200,000"),
        (b"[" + b"[]," * 300_000 + b"[]]", "900,004 commas and brackets"),
        (b'{"a":' * 150_000 + b"1" + b"}" * 150_000, "300,000 commas and brackets"),
        (b'"' + b'\\"' * 400_000, "not JSON"),
        (b" " * 1_000_001, "1,000,001 bytes"),
    ],
)
def test_what_is_refused_is_refused_with_a_reason(body: bytes | str, why: str) -> None:
    with pytest.raises(InvalidJson, match=why):
        read_json(body)


def test_brackets_inside_strings_do_not_count_as_nesting() -> None:
    assert read_json('["' + "[" * 100 + '", "\\"' + "[" * 100 + '"]') == ["[" * 100, '"' + "[" * 100]


def test_nesting_up_to_the_limit_is_read_and_brackets_after_a_deep_part_do_not_matter() -> None:
    deepest = "[" * 31 + "]" * 31
    assert read_json(f"[{deepest}, {deepest}]") == [json.loads(deepest)] * 2
    assert read_json('"' + "[" * 40 + '"') == "[" * 40


def test_a_definition_with_200_000_labelled_values_is_within_the_limit_for_definitions() -> None:
    values = {f"value {i}": f"value {i // 8}" if i else None for i in range(200_000)}
    labels = {value: f"{value}, in words" if i % 4 == 0 else value for i, value in enumerate(values)}
    definition = {"kind": "hierarchical", "values": values, "labels": labels}
    body = json.dumps({"name": "things", "definition": definition}).encode()
    assert read_json(body, max_bytes=16_000_000, max_items=500_000)["definition"] == definition
    with pytest.raises(InvalidJson, match="the limit is 200,000"):
        read_json(body, max_bytes=16_000_000)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(InvalidJson):
        json.dumps(read_json(body), default=str)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**9), 10**9)
        | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_ordinary_json_is_read_as_it_is(value: Any) -> None:
    assert read_json(json.dumps(value)) == value
    assert read_json(json.dumps(value, ensure_ascii=False).encode()) == value
