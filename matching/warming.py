"""Making a matcher ready before there is work for it."""

from collections.abc import Callable

from matching.live_snapshots import HAVE_SNAPSHOTS

COMPILING = "Compiling the matcher's kernels, once; this takes up to a minute."


def warm(name: str, *, say: Callable[[str], object]) -> None:
    """Have the kernels of this matcher compiled, if it has any; what is not in the cache takes long."""
    if name in HAVE_SNAPSHOTS:
        from matching.engine import warming  # it brings the compiler along

        warming.warm(on_compiling=lambda: say(COMPILING))
