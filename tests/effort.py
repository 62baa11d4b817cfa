"""How much work something is, in calls of functions: the same on every machine, however busy it is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Effort:
    calls = 0

    def count(self, frame: FrameType, happening: str, function: object) -> None:
        self.calls += happening in ("call", "c_call")


@contextmanager
def effort() -> Iterator[Effort]:
    """The functions that this thread calls meanwhile are counted, compiled ones too."""
    counted = Effort()
    sys.setprofile(counted.count)
    try:
        yield counted
    finally:
        sys.setprofile(None)
