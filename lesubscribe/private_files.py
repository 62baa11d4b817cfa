"""Small private files that several processes may want to write first."""

import os
import tempfile
from pathlib import Path


def first_written(path: Path, content: str) -> str:
    """Write `content` with mode 0600 unless the file is there already; return what the file says.

    Whoever comes first wins, and nobody ever sees half a file.
    """
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
            file.write(content)
        try:
            os.link(file.name, path)
        except FileExistsError:
            pass
        finally:
            Path(file.name).unlink()
    return path.read_text()
