"""An engine as it is in service: loaded, and laid out by events like those to come."""

from typing import Any

from benchmarks.cell import learn
from benchmarks.own_process import Report
from matching.engine import warming
from matching.engine.engine import Engine
from matching.workloads import Workload


def ready_engine(workload: Workload, subscriptions: int, report: Report, **options: Any) -> Engine:
    report("compiling", 0)
    warming.warm(on_compiling=lambda: None)
    report("making subscriptions", 0)
    columns = workload.subscriptions(subscriptions)
    engine = Engine(workload.schema, **options)
    report("loading", 0)
    engine.load(columns)
    del columns
    report("learning", 0)
    learn(engine, workload, seconds=0)
    return engine
