"""Arguments that several commands take."""

import os
from argparse import ArgumentTypeError
from pathlib import Path


def file_to_write(text: str) -> Path:
    """Told before the work begins, not after an hour of it."""
    path = Path(text)
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ArgumentTypeError(f"{text!r} cannot be written: it needs a directory that is there and yours")
    return path
