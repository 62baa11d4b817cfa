from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lesubscribe.private_files import first_written


def test_the_first_content_stays(tmp_path: Path) -> None:
    assert first_written(tmp_path / "key", "one") == "one"
    assert first_written(tmp_path / "key", "two") == "one"


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    first_written(tmp_path / "key", "one")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_many_that_come_first_at_once_agree_and_leave_nothing_else(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = set(pool.map(lambda n: first_written(tmp_path / "key", f"key {n}"), range(64)))
    assert len(answers) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["key"]
