"""The pre-flight of a file: what it finds, what it refuses, and that it never needs much memory."""

import gzip
import hashlib
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from matching.feeds.mapping import FileFormat
from spark_jobs.feeds.facts import Facts, Limits
from spark_jobs.feeds.landing import Landed, Listing
from spark_jobs.feeds.preflight import preflight

UNLISTED, USUAL = Listing(), FileFormat()
LINES = b'{"id": "1"}\n\n{"id": "2"}\n'


def looked_at(path: Path, *, listing: Listing = UNLISTED, form: FileFormat = USUAL, **limits: int) -> Facts:
    name = path.name.removesuffix(".gz")
    landed = Landed(path.name, str(path), name.rpartition(".")[2], name != path.name, listing)
    return preflight(landed, limits=Limits(**limits), form=form)


def test_it_finds_hash_size_rows_and_longest_line(tmp_path: Path) -> None:
    path = tmp_path / "lots.jsonl"
    path.write_bytes(LINES)
    facts = looked_at(path)
    assert facts.reason is None
    assert (facts.bytes, facts.rows, facts.longest_line) == (len(LINES), 2, 11)
    assert facts.sha256 == hashlib.sha256(LINES).hexdigest()


def test_a_gzip_file_is_hashed_as_it_lies_there_and_counted_as_it_unpacks(tmp_path: Path) -> None:
    path = tmp_path / "lots.jsonl.gz"
    packed = gzip.compress(LINES * 50) + gzip.compress(LINES)  # of two members
    path.write_bytes(packed)
    facts = looked_at(path)
    assert facts.reason is None
    assert (facts.bytes, facts.rows) == (len(packed), 102)
    assert facts.sha256 == hashlib.sha256(packed).hexdigest()
    assert facts.ratio == pytest.approx(51 * len(LINES) / len(packed))


def test_a_last_line_without_its_end_is_fine_if_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "lots.jsonl"
    path.write_bytes(LINES + b'{"id": "3"}')
    assert (looked_at(path).reason, looked_at(path).rows) == (None, 3)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.jsonl", LINES + b'{"id": "3', "It is cut: its last line has no end and is not whole JSON."),
        ("a.csv", b'id,name\n1,x\n2,"half', "It is cut: its last line has no end and fewer columns"),
        ("a.csv", b"id,name\n1,x\n2", "It is cut: its last line has no end and fewer columns"),
        ("a.csv", b"", "It is empty: not even a header is there."),
        ("a.jsonl.gz", gzip.compress(LINES)[:-8], "It is cut: the end of its gzip stream is missing."),
        ("a.jsonl.gz", b"", "It is cut: the end of its gzip stream is missing."),
        ("a.jsonl.gz", b"no gzip at all", "It is damaged: it is no gzip file, or not from beginning to end."),
        ("a.jsonl.gz", gzip.compress(LINES) + b"rest", "It is damaged"),
        ("a.parquet", b"PAR1 and then nothing", "It is cut: it has no Parquet footer, or a damaged one."),
        ("a.parquet", b"", "It is cut: it has no Parquet footer, or a damaged one."),
    ],
)
def test_a_file_that_is_cut_or_damaged_is_refused(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    facts = looked_at(path)
    assert facts.reason is not None
    assert facts.reason.startswith(reason)
    assert facts.bytes == len(content)


def test_a_file_that_went_meanwhile_is_named_and_nothing_breaks(tmp_path: Path) -> None:
    assert looked_at(tmp_path / "gone.jsonl").reason == (
        "It was there when the files were listed, and is missing now."
    )


@pytest.mark.parametrize(
    ("listing", "reason"),
    [
        (Listing(bytes=24), "It contradicts its manifest: bytes should be 24 and is 25."),
        (Listing(rows=3), "It contradicts its manifest: rows should be 3 and is 2."),
        (Listing(sha256="00"), "It contradicts its manifest: SHA-256 should be 00 and is "),
    ],
)
def test_a_file_that_contradicts_its_manifest_is_refused(
    tmp_path: Path, listing: Listing, reason: str
) -> None:
    path = tmp_path / "lots.jsonl"
    path.write_bytes(LINES)
    assert str(looked_at(path, listing=listing).reason).startswith(reason)
    told = Listing(len(LINES), hashlib.sha256(LINES).hexdigest(), 2)
    assert looked_at(path, listing=told).reason is None


def test_a_gzip_bomb_is_refused_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    _write_bomb(path, unpacked_mb=1_000)
    tracemalloc.start()
    facts = looked_at(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert facts.reason == "It unpacks to more than 200 times its size and 100,000,000 bytes."
    assert peak < 20_000_000


def test_much_that_repeats_is_no_bomb_until_it_is_large(tmp_path: Path) -> None:
    path = tmp_path / "same.jsonl.gz"
    path.write_bytes(gzip.compress(LINES * 50_000))
    facts = looked_at(path)
    assert facts.reason is None
    assert facts.ratio is not None
    assert facts.ratio > 200
    assert looked_at(path, unpacked=1_000_000).reason is not None


def test_a_line_of_100_mb_is_refused_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "line.jsonl"
    with open(path, "wb") as file:
        file.write(b'{"id": "')
        file.writelines(b"x" * 1_000_000 for _part in range(100))
    tracemalloc.start()
    facts = looked_at(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert facts.reason == "It has a line of more than 1,000,000 bytes."
    assert peak < 20_000_000


def test_a_csv_file_tells_its_header_and_whether_records_span_lines(tmp_path: Path) -> None:
    plain, spanning = tmp_path / "plain.csv", tmp_path / "spanning.csv"
    plain.write_bytes(b'\xef\xbb\xbfid;"full;name"\r\n1;a\r\n\r\n2;5" screen\r\n')
    spanning.write_bytes(b'id;name\n1;"two\nlines, ""quoted"""\n2;b\n')
    facts = looked_at(plain, form=FileFormat(delimiter=";"))
    assert (facts.header, facts.rows, facts.spans_lines) == (("id", "full;name"), 2, False)
    facts = looked_at(spanning, form=FileFormat(delimiter=";"))
    assert (facts.header, facts.rows, facts.spans_lines) == (("id", "name"), 2, True)


def test_a_quote_that_never_closes_is_dirt_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "dirty.csv"
    path.write_bytes(b'id,name\n1,"open\n2,b\n3,c "x"\n4,"d"\n')
    facts = looked_at(path)
    assert (facts.reason, facts.rows, facts.spans_lines) == (None, 4, False)


def test_a_carriage_return_inside_of_a_record_is_dirt_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "dirty.csv"
    path.write_bytes(b'id,name\n1,a\rb\n2,"c\rd"\n3,"e\nf\r"\n')
    facts = looked_at(path)
    assert (facts.reason, facts.rows, facts.spans_lines) == (None, 3, True)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("mac.csv", b"id,name\r1,a\r2,b\r", "Its header has a carriage return inside"),
        ("wide.csv", b",".join(b"c%d" % place for place in range(2_001)) + b"\n", "It has 2,001 columns"),
    ],
)
def test_a_header_that_cannot_be_one_is_refused(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert str(looked_at(tmp_path / name).reason).startswith(reason)


def test_what_we_did_not_foresee_is_told_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINES)
    monkeypatch.setattr("spark_jobs.feeds.preflight._measured", lambda *_: 1 // 0)
    assert str(looked_at(tmp_path / "a.jsonl").reason).startswith("It cannot be read (ZeroDivisionError")


class TestParquet:
    def written(self, path: Path, columns: dict[str, Any], **options: Any) -> Path:
        pq.write_table(pa.table(columns), path, **options)
        return path

    def test_it_tells_its_rows_columns_and_types(self, tmp_path: Path) -> None:
        path = self.written(tmp_path / "lots.parquet", {"id": [1, 2, 3], "name": ["a", "bcd", None]})
        facts = looked_at(path)
        assert (facts.reason, facts.rows, facts.header) == (None, 3, ("id", "name"))
        assert facts.types == ("id: INT64 None", "name: BYTE_ARRAY String")
        assert facts.longest_line == 3
        assert facts.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_strings_inside_of_others_are_measured_too(self, tmp_path: Path) -> None:
        nested = [{"a": "x", "b": ["yy", "z" * 40]}, None]
        maps = pa.array([[("k" * 50, "v")], []], pa.map_(pa.string(), pa.string()))
        path = self.written(tmp_path / "nested.parquet", {"nested": nested, "maps": maps})
        assert looked_at(path).longest_line == 50
        assert looked_at(path, line=45).reason == "It has a value of more than 45 bytes."

    def test_a_damaged_page_is_found_though_the_footer_is_whole(self, tmp_path: Path) -> None:
        numbers = list(range(50_000))
        path = self.written(tmp_path / "lots.parquet", {"id": numbers}, use_dictionary=False)
        content = bytearray(path.read_bytes())
        content[1_000:3_000] = b"\xff" * 2_000
        path.write_bytes(content)
        assert str(looked_at(path).reason).startswith("It is damaged: ")

    def test_few_bytes_that_stand_for_very_many_are_refused_in_little_memory(self, tmp_path: Path) -> None:
        same = pa.DictionaryArray.from_arrays(pa.array([0] * 5_000, pa.int32()), ["x" * 50_000])
        path = self.written(tmp_path / "bomb.parquet", {"text": same}, compression="zstd")
        before = pa.default_memory_pool().max_memory()
        facts = looked_at(path)
        assert facts.reason == "It unpacks to more than 200 times its size and 100,000,000 bytes."
        assert pa.default_memory_pool().max_memory() < before + 20_000_000

    @pytest.mark.parametrize(
        ("kind", "is_read"),
        [
            (pa.timestamp("us"), True),
            (pa.timestamp("ns"), False),
            (pa.decimal128(38, 2), True),
            (pa.decimal256(39, 2), False),
            (pa.binary(2), True),
            (pa.float16(), False),
            (pa.time64("us"), False),
            (pa.struct([("inner", pa.time32("ms"))]), False),
        ],
    )
    def test_a_column_that_spark_does_not_read_is_named(
        self, tmp_path: Path, kind: pa.DataType, is_read: bool
    ) -> None:
        path = self.written(tmp_path / "typed.parquet", {"odd": pa.nulls(1, kind)})
        reason = looked_at(path).reason
        assert (reason is None) == is_read
        assert is_read or str(reason).startswith("Spark does not read its column 'odd")

    def test_two_columns_of_one_name_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "twice.parquet"
        pq.write_table(pa.table([[1], [2]], names=["id", "id"]), path)
        assert looked_at(path).reason == "Several of its columns have the name 'id'."


def _write_bomb(path: Path, *, unpacked_mb: int) -> None:
    """Of lines, so that none is too long, and of many members, which are quickly written."""
    ten = gzip.compress((b"x" * 999 + b"\n") * 10_000)
    path.write_bytes(ten * (unpacked_mb // 10))
