"""A module that has failpoints has them at all of its transactions, and each has a name of its own.

That each of them is killed at is for `tests/faults/test_commit_boundaries.py`, which finds them itself.
"""

import ast
from collections import Counter
from collections.abc import Iterator

from tests.faults.boundaries.places import modules, named
from tests.running_system import ROOT

TRANSACTIONS = {"atomic", "short_transaction", "counting"}
# Of which all that reaches these reaches a failpoint.
REACH_ONE = {"reached", "at_commit", "log_changes"}
TWO_TRANSACTIONS = """
with transaction.atomic():
    save()
with short_transaction():
    step()

def step():
    failpoints.at_commit("step")
"""


def test_every_transaction_of_a_module_with_failpoints_has_one() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}" for path, module in modules() for line in without_failpoint(module)
    ]
    assert found == []
    assert list(without_failpoint(ast.parse(TWO_TRANSACTIONS))) == [2]


def test_no_two_places_share_a_name() -> None:
    assert [place for place, times in Counter(named()).items() if times > 1] == []


def without_failpoint(module: ast.Module) -> Iterator[int]:
    """The lines of transactions in which none is reached, be it in a function of the same module."""
    reaching = functions_that_reach_one(module)
    for node in ast.walk(module):
        if (
            isinstance(node, ast.With)
            and any(_called(item.context_expr) & TRANSACTIONS for item in node.items)
            and not any(_called(statement) & reaching for statement in node.body)
        ):
            yield node.lineno


def functions_that_reach_one(module: ast.Module) -> set[str]:
    functions = {node.name: _called(node) for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    reaching = set(REACH_ONE)
    while more := {name for name, calls in functions.items() if calls & reaching} - reaching:
        reaching |= more
    return reaching


def _called(node: ast.AST) -> set[str]:
    """The names of all that is called in it."""
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}
