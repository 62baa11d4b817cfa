"""What is known of a file before it is read, and how much of one we take."""

from dataclasses import dataclass, fields

from matching.feeds import unfit_files

MOST_COLUMNS = 2_000


@dataclass(frozen=True, slots=True)
class Limits:
    """A file is refused when it unpacks to more than `unpacked` bytes *and* grows more than `ratio` times."""

    ratio: float = 200
    unpacked: int = 100_000_000
    line: int = 1_000_000

    @classmethod
    def from_dict(cls, document: dict[str, float]) -> "Limits":
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in document.items() if name in known})  # type: ignore[arg-type]

    def check_unpacked(self, unpacked: int, size: int) -> None:
        """Raises UnfitError for a file of this size that unpacks to so many bytes."""
        if unpacked > max(self.unpacked, self.ratio * size):
            raise UnfitError(unfit_files.LARGE(ratio=self.ratio, most=self.unpacked))


@dataclass(frozen=True, slots=True)
class Facts:
    """What the pre-flight found; with a reason, the file is quarantined whole. None is not known.

    `types` are those of the columns of a Parquet file: what differs in them cannot be read together.
    """

    file: str
    format: str
    bytes: int | None = None
    sha256: str | None = None
    rows: int | None = None
    longest_line: int | None = None
    ratio: float | None = None
    header: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    spans_lines: bool = False
    reason: str | None = None


class UnfitError(Exception):
    """Why a file is not taken, as a sentence."""


def check_columns(count: int) -> None:
    """Raises UnfitError."""
    if count > MOST_COLUMNS:
        raise UnfitError(unfit_files.MANY_COLUMNS(count=count, most=MOST_COLUMNS))
