"""After a test that commits, only the tables that it filled are emptied.

Django's `flush` empties all of them and then makes all content types and permissions anew, which takes longer
than most of the tests themselves, and hundreds of them commit. What is left is the same: no row in any table
but those that a `flush` fills again, and in these the very rows that it left there.
"""

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase

Rows = list[tuple[object, ...]]

_flush = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]  # private, so not in the stubs
_after_a_flush: dict[str, dict[str, Rows]] = {}  # by alias: the tables that have rows then, and these


def empty_what_was_filled(test: TransactionTestCase) -> None:
    """Stands for `TransactionTestCase._fixture_teardown`."""
    aliases = test._databases_names(include_mirrors=False)  # type: ignore[attr-defined]  # private too
    if not all(_is_emptied(connections[alias]) for alias in aliases):
        _flush(test)
        for alias in aliases:
            filled = _filled(connections[alias])
            _after_a_flush[alias] = {table: _rows(connections[alias], table) for table in filled}


def _is_emptied(connection: BaseDatabaseWrapper) -> bool:
    """False if it takes a flush: there was none yet, or a table has other rows than a flush leaves there."""
    left = _after_a_flush.get(connection.alias)
    if left is None or any(_rows(connection, table) != rows for table, rows in left.items()):
        return False
    filled = [table for table in _filled(connection) if table not in left]
    # Foreign keys are looked at when it commits, so any order will do.
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for table in filled:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
    return True


def _filled(connection: BaseDatabaseWrapper) -> list[str]:
    """The tables of models that have rows."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    asked = (
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {connection.ops.quote_name(table)})"
        for table in tables
    )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked))
        return [table for (table,) in cursor.fetchall()]


def _rows(connection: BaseDatabaseWrapper, table: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")
        rows: Rows = cursor.fetchall()
        return rows
