"""What a run leaves behind beside its data: the manifest, written last. Without it a run has not happened."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from matching.feeds.run_layout import DATASETS, MANIFEST
from spark_jobs.feeds.facts import Facts


def facts_of_files(directory: Path) -> list[Facts]:
    """What the pre-flight wrote of each file, by name."""
    found = ({name: _hashable(value) for name, value in row.items()} for row in rows_of(directory))
    return sorted((Facts(**row) for row in found), key=lambda each: each.file)


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def rows_of(directory: Path) -> list[dict[str, Any]]:
    """A small dataset whole: facts about files or reasons, never rows of a feed."""
    rows: list[dict[str, Any]] = ds.dataset(directory, format="parquet").to_table().to_pylist()
    return rows


def write_manifest(run: Path, document: Mapping[str, Any]) -> None:
    """In one step, and also after a power cut there whole or not at all, with all that it tells of."""
    for dataset in DATASETS:
        for path in sorted((run / dataset).glob("*.parquet")):
            _sync(path)
        if (run / dataset).is_dir():
            _sync(run / dataset)
    beside = run / f"{MANIFEST}.unfinished"
    with open(beside, "w") as file:
        json.dump(document, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(run / MANIFEST)
    _sync(run)


def _sync(path: Path) -> None:
    """What was written there is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def quarantined(files: Iterable[Facts]) -> list[dict[str, str]]:
    return [{"file": each.file, "reason": each.reason} for each in files if each.reason is not None]
