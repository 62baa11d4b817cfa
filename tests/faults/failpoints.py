"""Arming the places of `matching.failpoints` in a running system."""

from dataclasses import dataclass
from pathlib import Path

from tests.running_system import wait_until


@dataclass(frozen=True, slots=True)
class Failpoints:
    directory: Path

    def arm(self, place: str, subject: object = "") -> None:
        """Once, or for a subject whenever it comes by."""
        waiting = self.directory / f"{place}.new"
        waiting.write_text(str(subject))
        waiting.rename(self.directory / place)  # nobody reads a file that is half written

    def disarm(self, place: str) -> None:
        (self.directory / place).unlink()

    def is_armed(self, place: str) -> bool:
        """As long as nobody was struck there."""
        return (self.directory / place).exists()

    def wait_until_struck(self, place: str, *, seconds: float = 300) -> None:
        wait_until(lambda: not self.is_armed(place), seconds=seconds)
