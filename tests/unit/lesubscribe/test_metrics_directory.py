"""Where processes count is in memory, and is taken away with all that was counted."""

import shutil
from pathlib import Path

import pytest

from lesubscribe import metrics_directory


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    memory = tmp_path / "shm"
    memory.mkdir()
    monkeypatch.setattr(metrics_directory, "_IN_MEMORY", memory)
    return memory


def test_it_is_in_memory_private_and_goes_again(tmp_path: Path, memory: Path) -> None:
    place = tmp_path / "metrics"
    place.mkdir()
    (place / "counter_1.db").touch()
    metrics_directory.make_anew(place)
    assert list(place.iterdir()) == []
    (made,) = memory.iterdir()
    assert place.resolve() == made
    assert made.stat().st_mode & 0o777 == 0o700
    (place / "counter_2.db").touch()
    metrics_directory.make_anew(place)
    assert list(place.iterdir()) == []
    metrics_directory.forget(place)
    assert list(memory.iterdir()) == []
    assert list(place.iterdir()) == []  # for others who were told to count there


def test_without_memory_for_files_it_is_a_plain_directory(tmp_path: Path, memory: Path) -> None:
    memory.rmdir()
    place = tmp_path / "metrics"
    metrics_directory.make_anew(place)
    assert place.is_dir()
    assert not place.is_symlink()
    (place / "counter_1.db").touch()
    metrics_directory.forget(place)
    assert list(place.iterdir()) == []


def test_a_link_that_a_restart_of_the_machine_left_leads_nowhere_and_is_replaced(
    tmp_path: Path, memory: Path
) -> None:
    place = tmp_path / "metrics"
    metrics_directory.make_anew(place)
    for made in memory.iterdir():
        made.rmdir()
    metrics_directory.make_anew(place)
    assert place.is_dir()


def test_the_copy_of_a_system_that_runs_leaves_it_alone(tmp_path: Path, memory: Path) -> None:
    place, copied = tmp_path / "var" / "metrics", tmp_path / "copy" / "metrics"
    place.parent.mkdir()
    metrics_directory.make_anew(place)
    (place / "counter_1.db").touch()
    shutil.copytree(place.parent, copied.parent, symlinks=True)
    metrics_directory.make_anew(copied)
    assert list(copied.iterdir()) == []
    metrics_directory.forget(copied)
    assert (place / "counter_1.db").exists()
