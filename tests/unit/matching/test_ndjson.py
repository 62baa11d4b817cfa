import gzip
import io

import pytest

from matching import ndjson
from matching.ndjson import UnreadableBody, lines


def read(body: bytes, *, is_gzip: bool = False) -> list[bytes]:
    return list(lines(io.BytesIO(body), is_gzip=is_gzip))


def test_lines_come_without_their_ends_and_blank_ones_not_at_all() -> None:
    assert read(b"one\n\r\ntwo\r\n\nthree") == [b"one", b"two\r", b"three"]
    assert read(b"") == []


def test_a_line_may_lie_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ndjson, "_CHUNK", 3)
    body = b"abcdefgh\nij\nklmnopqrst"
    assert read(body) == read(gzip.compress(body), is_gzip=True) == [b"abcdefgh", b"ij", b"klmnopqrst"]


def test_a_line_that_is_too_long_is_refused() -> None:
    with pytest.raises(UnreadableBody, match="line is over"):
        read(b"x" * (ndjson.LONGEST_LINE + 100_000))


@pytest.mark.parametrize(
    ("body", "says"), [(b"not gzip at all", "not gzip"), (gzip.compress(b"a\nb")[:-6], "cut off")]
)
def test_a_broken_gzip_is_refused(body: bytes, says: str) -> None:
    with pytest.raises(UnreadableBody, match=says):
        read(body, is_gzip=True)


def test_a_bomb_is_refused_before_it_goes_off() -> None:
    """Half a gigabyte in half a megabyte; only the first fortieth of it is ever decompressed."""
    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb", compresslevel=9) as file:
        for _ in range(50):
            file.write((b" " * 9_999 + b"\n") * 1_000)
    read_on = lines(io.BytesIO(bomb.getvalue()), is_gzip=True)
    with pytest.raises(UnreadableBody, match="far more than we take"):
        next(read_on)


@pytest.mark.parametrize("is_gzip", [False, True])
def test_blank_lines_are_passed_over_up_to_a_number(is_gzip: bool) -> None:
    body = b"one\n" + b" \n" * (ndjson.MOST_BLANK_LINES + 100_000) + b"two"
    read_on = lines(io.BytesIO(gzip.compress(body) if is_gzip else body), is_gzip=is_gzip)
    assert next(read_on) == b"one"
    with pytest.raises(UnreadableBody, match="blank"):
        next(read_on)
