"""How an evaluation ends: with rows, as `operator_meaning` has them, or with a failure that has a name."""

from typing import Literal

from schema_registry.core.operator_meaning import Rows, rows_of
from schema_registry.core.operators import OperatorDeclaration, OperatorPredicate

Fault = Literal["raised", "too slow", "not ready", "ended", "rubbish", "missing"]


class OperatorFailedError(Exception):
    """An evaluation without rows. The fault is for counting, the message for who runs the system."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


def checked_rows(answer: object, predicate: OperatorPredicate, declaration: OperatorDeclaration) -> Rows:
    """The rows that the function answered. Raises OperatorFailedError if it is not what was declared."""
    rows = rows_of(answer, predicate, declaration)
    if rows is None:
        declared = ", ".join(f"{each.name}: {each.type}" for each in declaration.results)
        expected = f"False or rows of ({declared})" if declared else "a truth value"
        raise OperatorFailedError("rubbish", f"It returned {_shown(answer)} instead of {expected}.")
    return rows


def _shown(answer: object) -> str:
    written = repr(answer)
    return written if len(written) <= 100 else f"{written[:97]}..."
