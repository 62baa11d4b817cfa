"""`python -m benchmarks.query_plans`: how databases execute the queries of `dbms-*`, into docs/query-plans.

The plans are those of paper 003's workload W4 with 100,000 subscriptions, for the first event of seed 0. The
condition, which has a line for each attribute, is cut off. PostgreSQL needs DATABASE_URL to name one; without
it its plans stay as they are.
"""

import os
import re
from pathlib import Path
from typing import Any

import psycopg

from matching import registry, workloads
from matching.algorithms.dbms import DbmsMatcher

FOLDER = Path(__file__).parents[1] / "docs" / "query-plans"
SUBSCRIPTIONS = 100_000
WIDTH = 100


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    write({"sqlite": None, "duckdb": None})
    url = os.environ.get("DATABASE_URL", "")
    if url.startswith("postgres"):
        with psycopg.connect(url) as connection:
            write({"postgresql": connection})


def write(databases: dict[str, Any]) -> None:
    """The plan of both matchers on each of the databases, given with a connection if they need one."""
    workload = workloads.create("topss", seed=0)
    columns, (event,) = workload.subscriptions(SUBSCRIPTIONS), workload.events(1)
    for name in ("dbms-sequential", "dbms-grouping"):
        for database, connection in databases.items():
            matcher = registry.create(name, workload.schema, database=database, connection=connection)
            assert isinstance(matcher, DbmsMatcher)
            matcher.load(columns)
            (FOLDER / f"{name}-{database}.txt").write_text(readable(matcher.plan(event)))


def readable(plan: str) -> str:
    """Without the numbers of relations, and with lines that can be read."""
    lines = (
        re.sub(r"\b((?:subs|preds|subs_preds)_)\d+", lambda found: found[1].rstrip("_"), line)
        for line in plan.splitlines()
    )
    return "".join(f"{line if len(line) <= WIDTH else line[: WIDTH - 4] + ' ...'}\n" for line in lines)


if __name__ == "__main__":
    main()
