"""Our code for the executors of a cluster: one archive that each of them unpacks.

It is an archive, and no zip on the Python path: Numba keeps compiled kernels beside the code, and beside a
file inside of a zip there is no place.
"""

import tarfile
from pathlib import Path

PACKAGES = ("schema_registry", "matching", "spark_jobs")
ROOT = Path(__file__).resolve().parent.parent


def archived_code(directory: Path) -> Path:
    """The archive with our packages, written there. O(size of the code)."""
    archive = directory / "lesubscribe-code.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for package in PACKAGES:
            tar.add(ROOT / package, arcname=package, filter=_only_code)
    return archive


def _only_code(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if Path(member.name).name == "__pycache__" else member
