"""Files that appear in one step: there whole or, if they were there before, as they were. Pure."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def in_one_step(path: Path, *, beside: Path) -> Iterator[BinaryIO]:
    """To write the file with. It holds after a power cut too; what is left `beside` was cut off."""
    with open(beside, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """What was written to this file, or which names were put into this directory, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
