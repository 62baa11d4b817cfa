"""Our code for the executors of a cluster: one archive that each of them unpacks.

It is an archive, and no zip on the Python path: Numba keeps compiled kernels beside the code, and beside a
file inside of a zip there is no place. The kernels compiled here go with it: an executor that has our
processor begins to match at once, and one that has another compiles its own.
"""

import tarfile
from pathlib import Path

from matching.engine import kernel_cache

PACKAGES = ("schema_registry", "matching", "spark_jobs")
ROOT = Path(__file__).resolve().parent.parent


def archived_code(directory: Path) -> Path:
    """The archive with our packages, written there. O(size of the code)."""
    archive = directory / "lesubscribe-code.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        for package in PACKAGES:
            tar.add(ROOT / package, arcname=package, filter=_only_code)
        kernels = kernel_cache.of_this_code()
        if kernels is not None and kernels.is_dir():
            tar.add(kernels, arcname=f"matching/engine/__pycache__/{kernels.name}")
    return archive


def _only_code(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if Path(member.name).name == "__pycache__" else member
