"""Numbers of rows as people and programs send them."""

LARGEST_NUMBER = 2**63 - 1  # that every database takes
_MOST_DIGITS = len(str(LARGEST_NUMBER))


def row_number(said: str | None) -> int | None:
    """The number that is said, 0 (before all rows) among them; None for what can be no number of a row."""
    if said is None or not (said.isascii() and said.isdigit() and len(said) <= _MOST_DIGITS):
        return None
    number = int(said)
    return number if number <= LARGEST_NUMBER else None
