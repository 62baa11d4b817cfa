"""What a run leaves behind beside its data: the manifest, written last. Without it a run has not happened."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from matching.feeds.run_layout import DATASETS, MANIFEST
from matching.whole_files import in_one_step, sync
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
            sync(path)
        if (run / dataset).is_dir():
            sync(run / dataset)
    with in_one_step(run / MANIFEST, beside=run / f"{MANIFEST}.unfinished") as file:
        file.write(json.dumps(document, indent=1).encode())


def quarantined(files: Iterable[Facts]) -> list[dict[str, str]]:
    return [{"file": each.file, "reason": each.reason} for each in files if each.reason is not None]
