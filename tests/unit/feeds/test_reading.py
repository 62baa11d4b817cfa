"""Plain reading of feed files. What is expected of odd lines is what Spark 4 was seen to give for them."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.feeds.mapping import CORRUPT, FileFormat
from matching.feeds.reading import UnreadableFile, csv_rows, jsonl_rows, rows_of

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(codec="utf-8"))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def of_json(*lines: bytes) -> list[dict[str, str | None]]:
    return [dict(row) for row in jsonl_rows(lines, FileFormat())]


def of_csv(*lines: bytes, form: FileFormat | None = None) -> list[dict[str, str | None]]:
    return [dict(row) for row in csv_rows(lines, form or FileFormat())]


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (
            b'{"a": 1.10, "b": 12345678901234567890.123456789}',
            {"a": "1.10", "b": "12345678901234567890.123456789"},
        ),
        (b'{"a": 1e400, "b": -0.0, "c": 1E5}', {"a": "1e400", "b": "-0.0", "c": "1E5"}),
        (b'{"a": {"x" :  1.10, "y":[1, 2 ]}}', {"a": '{"x" :  1.10, "y":[1, 2 ]}'}),
        (b'{"a": [ "p" , "q\\u00e9" ]}', {"a": '[ "p" , "q\\u00e9" ]'}),
        (b'{"a": true, "b": null, "c": "d\\u00e9 \xc3\xa9"}', {"a": "true", "b": None, "c": "dé é"}),
        (b'{"a": NaN, "b": -Infinity}', {"a": "NaN", "b": "-Infinity"}),
        (b'{"a": "1", "a": "2"}', {"a": "2"}),
        (b'{"a": "one"} {"a": "two"}', {"a": "one"}),
        (b'{"a": "lone \\ud800 x"}', {"a": "lone ? x"}),
        (b'{"a": "nul \\u0000"}', {"a": "nul \0"}),
        (b'\xef\xbb\xbf  {"a": "x"} \r\n', {"a": "x"}),
        (b"{}", {}),
    ],
)
def test_a_json_line_gives_strings_with_their_exact_text(line: bytes, row: dict[str, str | None]) -> None:
    assert of_json(line) == [row]


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b'{"a": "cut',
        b'{"a": "x",}',
        b'{"a": 007}',
        b'{"a": +1}',
        b'{"a": "lat \xe9"}',
        b'{"a": "control \x01"}',
        b'{"a": "\\q"}',
        b'{"a": ["x" "y"]}',
        b'{"a": "y", "z": {"bad": nope}}',
        b'"a string"',
        b"17",
        b"null",
        b'{"a" "b"}',
        b"{1: 2}",
        b"[" * 100_000,
    ],
)
def test_a_broken_json_line_gives_a_corrupt_row(line: bytes) -> None:
    (row,) = of_json(line)
    assert list(row) == [CORRUPT]


def test_blank_lines_are_passed_over_and_a_list_gives_its_objects() -> None:
    assert of_json(b"", b"  \r\n", b'[{"a": 1}, {"a": 2}]', b"[]") == [{"a": "1"}, {"a": "2"}]


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), VALUES, max_size=5))
def test_any_object_is_read_as_its_values_are_written(document: dict[str, object]) -> None:
    (row,) = of_json(json.dumps(document).encode())
    assert row.keys() == document.keys()
    for name, value in document.items():
        if value is None or isinstance(value, str):
            assert row[name] == value
        else:
            assert row[name] == json.dumps(value)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_somehow(line: bytes) -> None:
    for row in of_json(line):
        assert all(value is None or isinstance(value, str) for value in row.values())
    of_csv(b"a,b", line)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        (b"1,2,3", ("1", "2", "3")),
        (b'"q, x","say ""hi""",', ("q, x", 'say "hi"', None)),
        (b'"",  sp  , t', (None, "  sp  ", " t")),
        (b'mid"dle,"x"y,3', ('mid"dle', '"x"y', "3")),
        (b'" in quotes ", "x" ,"y" ', (" in quotes ", ' "x" ', "y")),
        (b"lat \xe9,1,2\r\n", ("lat \ufffd", "1", "2")),
        (b",,", (None, None, None)),
        (b'NaN,\\"b,"c\\"d"', ("NaN", '\\"b', '"c\\"d"')),
    ],
)
def test_a_csv_line_gives_its_cells(line: bytes, cells: tuple[str | None, ...]) -> None:
    assert of_csv(b"\xef\xbb\xbfa,b,c", line) == [dict(zip("abc", cells, strict=True))]


@pytest.mark.parametrize("line", [b"too,few", b"too,many,x,y", b'"open,2,3', b'next,"li', b'"x"" ,1,2'])
def test_a_csv_line_with_other_columns_than_the_header_is_corrupt(line: bytes) -> None:
    assert of_csv(b"a,b,c", line) == [{CORRUPT: line.decode()}]


def test_the_format_of_csv_is_that_of_the_mapping() -> None:
    form = FileFormat(delimiter=";", quote="'", encoding="ISO-8859-1")
    assert of_csv(b"a;b", b"'x;y';caf\xe9", form=form) == [{"a": "x;y", "b": "café"}]


def test_files_are_told_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n')
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"a\n2\n"))
    (tmp_path / "c.txt").write_bytes(b"?")
    assert list(rows_of(tmp_path / "a.jsonl", FileFormat())) == [{"a": "1"}]
    assert list(rows_of(tmp_path / "b.csv.gz", FileFormat())) == [{"a": "2"}]
    with pytest.raises(UnreadableFile, match="neither JSON Lines, CSV nor Parquet"):
        list(rows_of(tmp_path / "c.txt", FileFormat()))
