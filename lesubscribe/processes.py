"""Child processes that do not outlive their parent."""

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent(by: signal.Signals) -> None:
    """Ask the kernel to send this signal to us when our parent ends, however that happens. Only Linux can."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, by)
