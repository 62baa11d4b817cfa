"""The databases that `dbms-sequential` and `dbms-grouping` run in: what differs between them, and no more.

SQLite comes with Python and is the default. DuckDB keeps its columns in arrays, as the paper's Kdb did. A
PostgreSQL is used through a connection of psycopg that the caller hands over; what is made there are
temporary tables, so nothing stays behind.
"""

# ruff: noqa: S608 - tables and columns have names of our own; whatever comes from outside is an argument.

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Rows = Mapping[str, NDArray[Any]]
Numbers = Sequence[float]


class Database(ABC):
    """One connection. Statements have numbered places for numbers, spelt by `place`."""

    create_table: ClassVar[str] = "create table"
    explain: ClassVar[str] = "explain"
    has_indexes: ClassVar[bool] = True

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @abstractmethod
    def place(self, number: int) -> str:
        """How the number-th argument is spelt, from 1."""

    def run(self, statement: str, arguments: Numbers = ()) -> None:
        self._connection.execute(statement, arguments)

    def lines(self, statement: str, arguments: Numbers = ()) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._connection.execute(statement, arguments).fetchall()
        return found

    def numbers(self, statement: str, arguments: Numbers) -> NDArray[np.int64]:
        """The answer to a query of one column."""
        return np.array([number for (number,) in self.lines(statement, arguments)], np.int64)

    @abstractmethod
    def insert(self, table: str, rows: Rows) -> None:
        """Append rows, given as columns by their names."""

    def gather_statistics(self, tables: Sequence[str]) -> None:  # noqa: B027 - not all need it
        """Look at the tables, so that queries are planned well."""

    @abstractmethod
    def size(self, tables: Sequence[str]) -> int:
        """The bytes that these tables take with their indexes; in a database of our own, all of it."""

    def plan(self, statement: str, arguments: Numbers) -> str:
        """How it would execute a query, in its own words."""
        return "\n".join(str(line[-1]) for line in self.lines(f"{self.explain} {statement}", arguments))


class SQLite(Database):
    explain = "explain query plan"

    def __init__(self) -> None:
        # A matcher is used by one thread at a time, but not always the same.
        super().__init__(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))

    def place(self, number: int) -> str:
        return f"?{number}"

    def insert(self, table: str, rows: Rows) -> None:
        places = ", ".join("?" * len(rows))
        lists = [column.tolist() for column in rows.values()]
        self.run("begin")
        self._connection.executemany(
            f"insert into {table} ({', '.join(rows)}) values ({places})",  # nosec B608  # our own names
            zip(*lists, strict=True),
        )
        self.run("commit")

    def size(self, tables: Sequence[str]) -> int:
        ((pages, bytes_of_page),) = self.lines("select * from pragma_page_count, pragma_page_size")
        return int(pages * bytes_of_page)

    def plan(self, statement: str, arguments: Numbers) -> str:
        depth = {0: -1}
        lines = []
        for number, parent, _, text in self.lines(f"{self.explain} {statement}", arguments):
            depth[number] = depth[parent] + 1
            lines.append("  " * depth[number] + text)
        return "\n".join(lines)


class DuckDB(Database):
    has_indexes = False  # it scans columns; an index would only slow changes down

    def __init__(self) -> None:
        try:
            import duckdb
        except ImportError:
            raise ValueError(
                "DuckDB is not installed: install the package duckdb, or use database='sqlite'."
            ) from None
        # One thread, as all matchers are measured.
        super().__init__(duckdb.connect(":memory:", config={"threads": 1}))

    def place(self, number: int) -> str:
        return f"${number}"

    def numbers(self, statement: str, arguments: Numbers) -> NDArray[np.int64]:
        (column,) = self._connection.execute(statement, arguments).fetchnumpy().values()
        return np.asarray(column, np.int64)

    def insert(self, table: str, rows: Rows) -> None:
        names = ", ".join(rows)
        self._connection.register("fresh_rows", {name: np.asarray(column) for name, column in rows.items()})
        self.run(f"insert into {table} ({names}) select {names} from fresh_rows")  # nosec B608  # our own names
        self._connection.unregister("fresh_rows")

    def size(self, tables: Sequence[str]) -> int:
        ((used,),) = self.lines("select sum(memory_usage_bytes) from duckdb_memory()")
        return int(used)

    def plan(self, statement: str, arguments: Numbers) -> str:
        ((_, text),) = self.lines(f"explain (format json) {statement}", arguments)
        return "\n".join(self._steps(json.loads(text)[0], 0))

    def _steps(self, step: dict[str, Any], depth: int) -> Iterator[str]:
        said = step["extra_info"]
        details = [f"{key}: {said[key]}" for key in ("Table", "Join Type", "Conditions") if key in said]
        yield "  " * depth + ", ".join([step["name"], *details])
        for child in step["children"]:
            yield from self._steps(child, depth + 1)


class PostgreSQL(Database):
    create_table = "create temporary table"

    def place(self, number: int) -> str:
        return f"%(p{number})s"

    def run(self, statement: str, arguments: Numbers = ()) -> None:
        self.lines(statement, arguments)

    def lines(self, statement: str, arguments: Numbers = ()) -> list[tuple[Any, ...]]:
        named = {f"p{number}": value for number, value in enumerate(arguments, 1)} or None
        cursor = self._connection.execute(statement, named)
        found: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
        return found

    def insert(self, table: str, rows: Rows) -> None:
        with (
            self._connection.cursor() as cursor,
            cursor.copy(f"copy {table} ({', '.join(rows)}) from stdin") as copy,
        ):
            for row in zip(*(column.tolist() for column in rows.values()), strict=True):
                copy.write_row(row)

    def size(self, tables: Sequence[str]) -> int:
        sizes = " + ".join(f"pg_total_relation_size('{table}')" for table in tables)
        ((used,),) = self.lines(f"select {sizes}")
        return int(used)

    def gather_statistics(self, tables: Sequence[str]) -> None:
        """Nobody else does it for temporary tables."""
        self.run(f"analyze {', '.join(tables)}")


def connected(database: str, connection: Any) -> Database:
    """Raises ValueError with a sentence if there is no such database."""
    if database == "sqlite":
        return SQLite()
    if database == "duckdb":
        return DuckDB()
    if database != "postgresql":
        raise ValueError(f"There is no database {database!r}; there are sqlite, duckdb and postgresql.")
    if connection is None:
        raise ValueError("PostgreSQL needs a connection: give connection=psycopg.connect(...).")
    return PostgreSQL(connection)
