"""What kind of feed a file is, which its name tells."""

JSONL, CSV, PARQUET = KINDS = ("jsonl", "csv", "parquet")


def kind_of(name: str) -> tuple[str, bool]:
    """(one of KINDS, or "" for any other; whether it is packed by gzip)."""
    bare = name.removesuffix(".gz")
    kind = bare.rpartition(".")[2]
    return kind if kind in KINDS else "", bare != name
