"""Queries that are written for the ORM and compiled once.

For what is asked again and again, for every message say, Django takes longer to write the statement than the
database to answer it. So its text is kept, with names where a value is `Given` each time.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Expression, Field, QuerySet
from django.db.models.sql.compiler import SQLCompiler


class Given(Expression):
    """A value that is not known before the query is run, of a field like this one."""

    def __init__(self, name: str, field: Field) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        return f"%({self.name})s", ()


class Prepared:
    """Rows as the database has them, of a query that `values_list` says the columns of."""

    def __init__(self, query: Callable[[], QuerySet[Any, Any]]) -> None:
        self._query = query
        self._compiled: dict[str, tuple[str, dict[str, Any]]] = {}

    def rows(self, **given: Any) -> list[tuple[Any, ...]]:
        """In the order of the query."""
        if (known := self._compiled.get(connection.vendor)) is None:
            known = self._compiled[connection.vendor] = self._compile()
        text, constants = known
        adapted = {name: _adapted(value) for name, value in given.items()}
        with connection.cursor() as cursor:
            cursor.execute(text, constants | adapted)
            return list(cursor.fetchall())

    def _compile(self) -> tuple[str, dict[str, Any]]:
        """All values have names, for those with and those without do not go together."""
        text, values = self._query().query.sql_with_params()
        first, *others = text.split("%s")
        assert len(others) == len(values)
        named = "".join(f"%(constant_{place})s{other}" for place, other in enumerate(others))
        return first + named, {f"constant_{place}": value for place, value in enumerate(values)}


def _adapted(value: Any) -> Any:
    """SQLite has no moments, so they are compared as text."""
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value
