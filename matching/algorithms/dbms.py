"""`dbms-sequential`, `dbms-grouping`: subscriptions are relations, and an event is one SQL query.

Paper 003, section 4. Sequential search has a row for each predicate of each subscription, selects those that
the event satisfies, and counts them by subscription. Predicate grouping has each different predicate once and
a second relation for who has it. Conjunctions of comparisons are decided wholly by the query; other
negations, and "any of" where an event has several values, by the shared residual check.

The paper counts the predicates of all subscriptions again in every query; here the number stands in the
relation, since the alternatives of an `in` are rows that count as one.

Costs: match O(all predicates of all subscriptions), grouping O(different predicates + satisfied ones * their
subscriptions); add and remove O(predicates * log) with the indexes of SQLite and PostgreSQL, in DuckDB a
pass over the relation to remove; memory the database's.
"""

# ruff: noqa: S608 - relations have names of our own; whatever comes from outside is an argument.

from abc import abstractmethod
from itertools import count
from typing import Any

import numpy as np

from matching.algorithms.axes import Axes
from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import REMOVED, Truth
from matching.algorithms.dbms_databases import connected
from matching.algorithms.dbms_query import ALWAYS, NO_ATTRIBUTE, EventCondition
from matching.algorithms.predicate_rows import predicate_rows
from matching.algorithms.residual import ResidualDoubt
from matching.algorithms.slots import Slots
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

MANY = 1_000  # loaded at once
_numbers = count(1)


class DbmsMatcher(IndexMatcher):
    """`database`: sqlite, duckdb, or postgresql with a `connection` of psycopg."""

    _subs: str

    def __init__(self, schema: Schema, *, database: str = "sqlite", connection: Any = None) -> None:
        super().__init__(schema)
        self._axes = Axes(self._conjunctions)
        self._database = connected(database, connection)
        # Several matchers may share a connection.
        self._suffix = next(_numbers)
        self._used: set[tuple[int, int]] = set()  # attributes and operators
        self._tables: list[str] = []
        self._doubt = ResidualDoubt(self._conjunctions, self.work)
        self._create()

    def query(self, event: Event) -> tuple[str, list[float]]:
        """The query that the event becomes, and the numbers for its places."""
        return self._query_of(self._conjunctions.truth_of(event))

    def plan(self, event: Event) -> str:
        """How the database would execute that query, in its own words."""
        return self._database.plan(*self.query(event))

    def relations_bytes(self) -> int:
        """What the relations take in the database, as it says itself."""
        return self._database.size(self._tables)

    def _matched_slots(self, truth: Truth) -> Slots:
        found = self._database.numbers(*self._query_of(truth))
        return self._doubt.decided(found, truth)

    def _query_of(self, truth: Truth) -> tuple[str, list[float]]:
        condition = EventCondition(
            truth, self._conjunctions.vocabulary, self._axes, self._used, self._database
        )
        return self._query(condition.text), condition.arguments

    def _index_many(self, slots: Slots) -> None:
        rows = predicate_rows(self._conjunctions, self._axes, slots)
        self._doubt.extend(rows.doubtful)
        # Nothing to count: a row that always holds, so that the query finds the conjunction.
        empty = np.flatnonzero(rows.wanted == 0)
        owner = np.concatenate((rows.owner, empty))
        wanted = np.maximum(rows.wanted, 1)
        axis = np.concatenate((rows.axis, np.full(len(empty), NO_ATTRIBUTE, np.int32)))
        operator = np.concatenate((rows.operator, np.full(len(empty), ALWAYS, np.int8)))
        value = np.concatenate((rows.value, np.zeros(len(empty))))
        self._insert({"sid": slots[owner], "attr": axis, "op": operator, "val": value, "cnt": wanted[owner]})
        self._used.update(map(tuple, np.unique(np.stack((axis, operator)), axis=1).T.tolist()))
        if len(slots) >= MANY:
            self._database.gather_statistics(self._tables)

    def check_invariants(self) -> None:
        super().check_invariants()
        self._doubt.check_invariants()
        present = np.flatnonzero(self._conjunctions.ids.array != REMOVED)
        stored = self._database.lines(f"select distinct sid from {self._subs}")  # nosec B608  # our own names
        assert sorted(sid for (sid,) in stored) == present.tolist()

    def _index_one(self, slot: int) -> None:
        self._index_many(np.array([slot]))

    def _table(self, name: str, columns: str, *indexed: str) -> str:
        """Make a relation with indexes; the name it got."""
        full_name = f"{name}_{self._suffix}"
        self._tables.append(full_name)
        self._database.run(f"{self._database.create_table} {full_name} ({columns})")
        for number, index in enumerate(indexed if self._database.has_indexes else ()):
            self._database.run(f"create index {full_name}_{number} on {full_name} ({index})")
        return full_name

    @abstractmethod
    def _create(self) -> None:
        """Make the relations."""

    @abstractmethod
    def _insert(self, rows: dict[str, Any]) -> None:
        """Take rows of sid, attr, op, val and cnt, the number of predicates of the sid."""

    @abstractmethod
    def _query(self, condition: str) -> str:
        """The query for the conjunctions that have enough rows for which the condition holds."""


class DbmsSequential(DbmsMatcher):
    """Section 4.1: subs (sid, attr, op, val), and how many predicates the sid has."""

    def _create(self) -> None:
        columns = "sid integer, attr integer, op smallint, val double precision, cnt integer"
        self._subs = self._table("subs", columns, "sid")

    def _insert(self, rows: dict[str, Any]) -> None:
        self._database.insert(self._subs, rows)

    def _unindex_one(self, slot: int) -> None:
        self._database.run(f"delete from {self._subs} where sid = {slot}")  # nosec B608  # our own names

    def _query(self, condition: str) -> str:
        return (
            f"select sid from {self._subs}\nwhere {condition}\n"  # nosec B608  # our own names
            "group by sid having count(*) >= min(cnt)"
        )


class DbmsGrouping(DbmsMatcher):
    """Section 4.2: subs (sid, cnt), preds (pid, attr, op, val), subs_preds (sid, pid)."""

    def _create(self) -> None:
        predicate = "attr integer, op smallint, val double precision"
        self._subs = self._table("subs", "sid integer primary key, cnt integer")
        self._preds = self._table("preds", f"pid integer primary key, {predicate}", "attr, op, val")
        self._subs_preds = self._table("subs_preds", "sid integer, pid integer", "pid, sid", "sid")
        self._fresh = self._table("fresh", f"sid integer, cnt integer, {predicate}")

    def _insert(self, rows: dict[str, Any]) -> None:
        """New predicates get numbers above the highest; then everything is a join."""
        self._database.insert(self._fresh, rows)
        same = "p.attr = f.attr and p.op = f.op and p.val = f.val"
        self._database.run(
            f"insert into {self._subs} select distinct sid, cnt from {self._fresh}"  # nosec B608  # our own names
        )
        self._database.run(
            f"insert into {self._preds}"  # nosec B608  # our own names
            " select row_number() over (order by attr, op, val)"
            f" + (select coalesce(max(pid), 0) from {self._preds}), attr, op, val"
            f" from (select distinct attr, op, val from {self._fresh} f"
            f" where not exists (select 1 from {self._preds} p where {same})) as missing"
        )
        self._database.run(
            f"insert into {self._subs_preds}"  # nosec B608  # our own names
            f" select f.sid, p.pid from {self._fresh} f join {self._preds} p on {same}"
        )
        self._database.run(f"delete from {self._fresh}")  # nosec B608  # our own names

    def _unindex_one(self, slot: int) -> None:
        used = f"select pid from {self._subs_preds} where sid = {slot}"  # nosec B608  # our own names
        predicates = ", ".join(str(pid) for (pid,) in self._database.lines(used))
        for table in (self._subs, self._subs_preds):
            self._database.run(f"delete from {table} where sid = {slot}")  # nosec B608  # our own names
        self._database.run(
            f"delete from {self._preds} where pid in ({predicates})"  # nosec B608  # our own names
            f" and pid not in (select pid from {self._subs_preds} where pid in ({predicates}))"
        )

    def _query(self, condition: str) -> str:
        return (
            f"select s.sid from {self._subs} s join (\n"  # nosec B608  # our own names
            f"  select sid, count(*) as hits from {self._subs_preds} where pid in (\n"
            f"    select pid from {self._preds} where {condition})\n"
            "  group by sid) as t on t.sid = s.sid\n"
            "where t.hits >= s.cnt"
        )
