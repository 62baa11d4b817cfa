"""Many rows as one parameter of a statement: a JSON array of arrays, which both databases read as a table."""

from django.db import connection

_VALUE = {"sqlite": "json_extract(value, '$[{place}]')", "postgresql": "(value ->> {place})::{kind}"}
_ROWS = {"sqlite": "json_each(%s)", "postgresql": "jsonb_array_elements(%s::jsonb)"}


def table(**columns: str) -> str:
    """SQL for such a table; the columns by name, each with its type on PostgreSQL. It has one parameter."""
    vendor = connection.vendor
    values = (
        f"{_VALUE[vendor].format(place=place, kind=kind)} AS {name}"
        for place, (name, kind) in enumerate(columns.items())
    )
    return f"(SELECT {', '.join(values)} FROM {_ROWS[vendor]})"  # nosec B608  # noqa: S608 - only names of ours
