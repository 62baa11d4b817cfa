"""Evaluating operator predicates on events: each at most once for an event, and never with an exception.

Paper 001, section 3: results are shared by all subscriptions. An operator that fails, be it that it raises,
takes too long or returns rubbish, makes its predicate neither true nor false for that event, so that neither
it nor its negation holds (SEMANTICS, section 4); that is counted, and nothing else changes.

Costs beside the operator's own time: half a microsecond for a predicate that was evaluated for the event
before, 10 for a trusted operator, half of them to check what it returned, and some 50 for an isolated one.
"""

import threading
import time
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Self

from matching.operators.circuit import Circuit, FailurePolicy, OperatorState
from matching.operators.frames import said
from matching.operators.outcomes import OperatorFailedError, checked_rows
from matching.operators.processes import OperatorProcess, ProcessLimits
from schema_registry.core.events import Event
from schema_registry.core.operator_meaning import Rows, arguments_for
from schema_registry.core.operators import OperatorDeclaration, OperatorPredicate

_UNKNOWN: Rows = (("not evaluated",),)  # told apart by identity
_DEFAULT_POLICY = FailurePolicy()
_DEFAULT_LIMITS = ProcessLimits()


class Evaluator:
    """Evaluates predicates of these operators. Threads may share one: each has its own memory and processes.

    `clock` gives the moments of `states`, in seconds; only the pauses of operators that fail depend on it.
    """

    def __init__(
        self,
        operators: Mapping[str, OperatorDeclaration],
        *,
        clock: Callable[[], float] = time.time,
        policy: FailurePolicy = _DEFAULT_POLICY,
        limits: ProcessLimits = _DEFAULT_LIMITS,
    ) -> None:
        self._operators = MappingProxyType(dict(operators))
        self._clock = clock
        self._limits = limits
        self._circuits = {name: Circuit(name, policy) for name in operators}
        self._policy = policy
        self._mine = _OfThread()

    @property
    def operators(self) -> Mapping[str, OperatorDeclaration]:
        return self._operators

    def evaluate(self, predicate: OperatorPredicate, event: Event) -> Rows | None:
        """The rows that make it true, one value for each distinct variable; none at all if it is false.

        None if neither it nor its negation holds: the event lacks an attribute, or the operator failed.
        Results are remembered until another event is asked about.
        """
        mine = self._mine
        if mine.event is not event:
            mine.turn_to(event)
        rows = mine.remembered.get(predicate, _UNKNOWN)
        if rows is _UNKNOWN:
            rows = mine.remembered[predicate] = self._evaluated(predicate, event)
        return rows

    def start(self, names: Collection[str] | None = None) -> None:
        """Prepare all operators, or those of these names, so that no event of this thread waits for that.

        Failures show at the first call.
        """
        for declaration in self._operators.values():
            if names is not None and declaration.name not in names:
                continue
            try:
                if declaration.isolated:
                    self._process(declaration).start()
                else:
                    self._prepare(declaration)
            except Exception:  # nosec B112  # noqa: S112  # it is tried again, and counted, at the first call
                continue

    def states(self) -> tuple[OperatorState, ...]:
        """How each operator has done since the evaluator was made, by name."""
        now = self._clock()
        return tuple(circuit.state(now) for _, circuit in sorted(self._circuits.items()))

    def close(self) -> None:
        """End the processes that this thread has started; those of others end with their threads."""
        self._mine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _evaluated(self, predicate: OperatorPredicate, event: Event) -> Rows | None:
        arguments = arguments_for(predicate, event)
        if arguments is None:
            return None
        name = predicate.operator
        circuit = self._circuits.get(name) or self._circuits.setdefault(name, Circuit(name, self._policy))
        if name in self._mine.too_slow:
            circuit.skip()
            return None
        if not circuit.allows(self._clock()):
            return None
        try:
            declaration = self._declaration(name)
            call = self._callable(declaration)
            started = time.perf_counter()
            rows = checked_rows(call(arguments), predicate, declaration)
        except OperatorFailedError as failure:
            if failure.fault == "too slow":
                self._mine.too_slow.add(name)
            circuit.failed(failure, self._clock())
            return None
        except Exception as error:
            circuit.failed(OperatorFailedError("raised", said(error)), self._clock())
            return None
        circuit.succeeded(time.perf_counter() - started)
        return rows

    def _declaration(self, name: str) -> OperatorDeclaration:
        declaration = self._operators.get(name)
        if declaration is None or declaration.function is None:
            raise OperatorFailedError("missing", "It is not installed.")
        return declaration

    def _callable(self, declaration: OperatorDeclaration) -> Callable[[tuple[Any, ...]], Any]:
        """What evaluates it here, ready to be called."""
        if declaration.isolated:
            return self._process(declaration).call
        self._prepare(declaration)
        function = declaration.function
        assert function is not None
        return lambda arguments: function(*arguments)

    def _process(self, declaration: OperatorDeclaration) -> OperatorProcess:
        processes = self._mine.processes
        process = processes.get(declaration.name)
        if process is None:
            process = processes[declaration.name] = OperatorProcess(declaration, self._limits)
        return process

    def _prepare(self, declaration: OperatorDeclaration) -> None:
        if declaration.prepare is not None and declaration.name not in self._mine.prepared:
            declaration.prepare()
            self._mine.prepared.add(declaration.name)


class _OfThread(threading.local):
    """What a thread remembers of its event, and its processes: one for each isolated operator.

    An operator that has run out of time is not asked again for the same event, so however many subscriptions
    call it, in however many ways, the event waits for it once.
    """

    def __init__(self) -> None:
        self.event: Event | None = None
        self.remembered: dict[OperatorPredicate, Rows | None] = {}
        self.too_slow: set[str] = set()
        self.prepared: set[str] = set()
        self.processes: dict[str, OperatorProcess] = {}

    def turn_to(self, event: Event) -> None:
        self.event = event
        self.remembered = {}
        self.too_slow.clear()

    def close(self) -> None:
        while self.processes:
            self.processes.popitem()[1].close()
