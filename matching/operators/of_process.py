"""The evaluator of this process: all its matchers and threads share what is known of operators that fail.

A matcher evaluates in its own thread. Who only explains or previews, as web processes do in many threads,
asks by `evaluate`: operators that are isolated are asked in one thread for all, for each thread that asks
them has a process of each.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from matching.operators import plugins
from matching.operators.evaluation import Evaluator
from schema_registry.core.events import Event
from schema_registry.core.operator_meaning import Rows
from schema_registry.core.operators import OperatorPredicate


@cache
def evaluator() -> Evaluator:
    """Of all operators there are; asking for it imports them, and starts none."""
    return Evaluator(plugins.operators())


def evaluate(predicate: OperatorPredicate, event: Event) -> Rows | None:
    """The rows, or None if it failed, as `Evaluator.evaluate` gives them; for processes of many threads.

    Waits for at most the operator's time limit, and for those who asked it before.
    """
    declaration = evaluator().operators.get(predicate.operator)
    if declaration is None or not declaration.isolated:
        return evaluator().evaluate(predicate, event)
    return _one_thread().submit(evaluator().evaluate, predicate, event).result()


@cache
def _one_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="operators")


# A fork has the pool, and not its thread.
os.register_at_fork(after_in_child=_one_thread.cache_clear)
