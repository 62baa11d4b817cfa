"""Evaluating operators, in their processes and here: what a result means, and what a failure changes."""

import dataclasses
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
import pytest

from matching.operators import processes
from matching.operators.circuit import FailurePolicy, OperatorState
from matching.operators.declaring import operator
from matching.operators.evaluation import Evaluator
from matching.operators.processes import ProcessLimits
from schema_registry.core.events import Event
from schema_registry.core.operator_meaning import evaluated
from schema_registry.core.operators import Constant, OfAttribute, OperatorDeclaration, OperatorPredicate
from schema_registry.core.schema import Schema
from tests.unit.matching import operator_faults as faults

SCHEMA = Schema.from_dict(
    {
        "domains": {"words": {"kind": "text"}, "name": {"kind": "string"}},
        "attributes": {"title": "words", "place": "name"},
        "event_types": {"lot": {"title": ["optional", "multiple"], "place": ["optional", "multiple"]}},
    }
)
EVENT = SCHEMA.validate({"event_type": ["lot"], "title": ["Oak Table", "an oak table"], "place": "Lyon"})
TITLE = OfAttribute("title")
LIMITS = ProcessLimits(memory=1 << 27, start=600)
CHILD = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def time_to_die(monkeypatch: pytest.MonkeyPatch) -> None:
    """How a process ended is known once it has, for which a busy machine may need more than a second."""
    monkeypatch.setattr(processes, "_SECONDS_TO_DIE", 300.0)


def another_event() -> Event:
    return SCHEMA.validate(EVENT.to_dict())


def here(declaration: OperatorDeclaration) -> OperatorDeclaration:
    return dataclasses.replace(declaration, isolated=False)


def evaluator_of(*declarations: OperatorDeclaration, **options: Any) -> Evaluator:
    return Evaluator({each.name: each for each in declarations}, limits=LIMITS, **options)


def state_of(evaluator: Evaluator, name: str) -> OperatorState:
    return next(state for state in evaluator.states() if state.name == name)


def pid_of_process(evaluator: Evaluator) -> int:
    rows = evaluator.evaluate(OperatorPredicate("process", (0,)), another_event())
    assert rows
    return int(rows[0][0])


@pytest.fixture(scope="module")
def isolated() -> Iterator[Evaluator]:
    broken = (declaration for declaration, _, _ in faults.FAULTS)
    with evaluator_of(faults.answers_two, faults.process, *broken) as evaluator:
        yield evaluator


def test_an_answer_means_the_same_here_in_a_process_and_to_the_oracle() -> None:
    patient = FailurePolicy(limit=1_000)
    trusted = evaluator_of(here(faults.answers), policy=patient)
    with evaluator_of(faults.answers, policy=patient) as isolated:
        for which, answer in enumerate(faults.ANSWERS):
            predicate = OperatorPredicate("answers", (Constant(float(which)), 0))
            expected = evaluated(predicate, EVENT, {"answers": faults.answers})
            assert trusted.evaluate(predicate, EVENT) == expected, answer
            assert isolated.evaluate(predicate, EVENT) == expected, answer


@pytest.mark.parametrize("in_a_process", [True, False])
def test_an_attribute_is_given_as_all_its_strings_and_rows_have_a_value_for_each_variable(
    isolated: Evaluator, in_a_process: bool
) -> None:
    evaluator = isolated if in_a_process else evaluator_of(here(faults.answers_two))
    two = evaluator.evaluate(OperatorPredicate("answers_two", (TITLE, 0, 1)), EVENT)
    assert two == ((1.0, 1.0), (1.0, 2.0), (2.0, "2"), (2.0, "Oak Table"))
    assert evaluator.evaluate(OperatorPredicate("answers_two", (TITLE, 0, 0)), EVENT) == ((1.0,),)


def test_without_an_attribute_nothing_holds_and_nothing_is_counted(isolated: Evaluator) -> None:
    without = SCHEMA.validate({"event_type": ["lot"]})
    before = state_of(isolated, "answers_two")
    assert isolated.evaluate(OperatorPredicate("answers_two", (TITLE, 0, 1)), without) is None
    assert state_of(isolated, "answers_two") == before


def test_a_predicate_is_evaluated_once_for_an_event_and_again_for_the_next() -> None:
    calls = []

    @operator("noted(title: string)", isolated=False)
    def noted(titles: object) -> bool:
        calls.append(titles)
        return True

    evaluator = evaluator_of(noted)
    for event in (EVENT, another_event()):
        for _ in range(3):
            assert evaluator.evaluate(OperatorPredicate("noted", (TITLE,)), event) == ((),)
    assert calls == [("Oak Table", "an oak table")] * 2
    assert state_of(evaluator, "noted").evaluations == 2


@pytest.mark.parametrize(
    ("declaration", "fault", "error"), faults.FAULTS, ids=lambda each: getattr(each, "name", "")
)
def test_whatever_an_operator_does_it_fails_alone(
    isolated: Evaluator, declaration: OperatorDeclaration, fault: str, error: str
) -> None:
    untouched = pid_of_process(isolated)
    results = tuple(0 for _ in declaration.results)
    predicate = OperatorPredicate(declaration.name, (TITLE, *results))
    for event in (EVENT, another_event()):
        assert isolated.evaluate(predicate, event) is None
    state = state_of(isolated, declaration.name)
    assert (state.evaluations, state.failures, state.last_fault) == (2, 2, fault)
    assert error in state.last_error
    assert len(state.last_error) <= 300
    assert pid_of_process(isolated) == untouched
    assert state_of(isolated, "process").failures == 0


def test_closing_an_evaluator_ends_its_processes() -> None:
    with evaluator_of(faults.process) as evaluator:
        pid = pid_of_process(evaluator)
        assert psutil.pid_exists(pid)
    assert not psutil.pid_exists(pid)


def test_what_an_operator_prints_or_reads_disturbs_nobody() -> None:
    with evaluator_of(faults.chatters) as evaluator:
        for event in (EVENT, another_event()):
            assert evaluator.evaluate(OperatorPredicate("chatters", (TITLE,)), event) == ((),)


def test_an_operator_that_ran_out_of_memory_begins_afresh() -> None:
    with evaluator_of(faults.hoards_if) as evaluator:
        greedy, modest = (OperatorPredicate("hoards_if", (Constant(each), 0)) for each in (1.0, 0.0))
        assert evaluator.evaluate(greedy, EVENT) is None
        assert evaluator.evaluate(modest, EVENT) == ((0.0,),)


def test_an_event_waits_for_an_operator_that_hangs_only_once() -> None:
    with evaluator_of(faults.waits) as evaluator:
        for place in ("title", "place"):
            assert evaluator.evaluate(OperatorPredicate("waits", (OfAttribute(place), 0)), EVENT) is None
        state = state_of(evaluator, "waits")
        assert (state.failures, state.skipped) == (1, 1)
        assert evaluator.evaluate(OperatorPredicate("waits", (TITLE, 0)), another_event()) is None
        assert state_of(evaluator, "waits").failures == 2


def test_what_an_operator_started_is_killed_with_it(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    for seconds in (1.5, 15.0, 150.0):  # a busy machine may not even start it in so short a time
        with evaluator_of(dataclasses.replace(faults.leaves_a_child, time_limit=seconds)) as evaluator:
            predicate = OperatorPredicate("leaves_a_child", (Constant(str(told)),))
            assert evaluator.evaluate(predicate, EVENT) is None
            assert state_of(evaluator, "leaves_a_child").last_fault == "too slow"
            if told.exists():
                break
    _ends(int(told.read_text()))


def test_an_operator_is_disabled_after_too_many_failures_and_tried_again_after_longer_and_longer_pauses() -> (
    None
):
    now, broken = 1_000.0, True

    @operator("moody(title: string)", isolated=False)
    def moody(titles: object) -> bool:
        if broken:
            raise ValueError("not today")
        return False

    policy = FailurePolicy(limit=3, pause=60, longest_pause=200)
    evaluator = evaluator_of(moody, clock=lambda: now, policy=policy)
    predicate = OperatorPredicate("moody", (TITLE,))

    def ask() -> Any:
        return evaluator.evaluate(predicate, another_event())

    assert [ask() for _ in range(5)] == [None] * 5
    state = state_of(evaluator, "moody")
    assert (state.failures, state.skipped, state.disabled_until) == (3, 2, 1_060.0)
    assert (state.last_fault, state.last_error, state.last_failure) == (
        "raised",
        "ValueError: not today",
        1_000.0,
    )
    for pause in (60, 120, 200, 200):
        now += pause
        assert state_of(evaluator, "moody").disabled_until is None
        ask()
        ask()
    assert (state_of(evaluator, "moody").failures, state_of(evaluator, "moody").skipped) == (7, 6)
    now, broken = now + 200, False
    assert [ask() for _ in range(3)] == [()] * 3
    broken = True
    assert [ask() for _ in range(2)] == [None] * 2
    assert state_of(evaluator, "moody").disabled_until is None
    ask()
    assert state_of(evaluator, "moody").disabled_until == now + 60


def test_an_operator_that_is_not_ready_in_time_is_disabled_at_once() -> None:
    with Evaluator({"never_ready": faults.never_ready}, limits=ProcessLimits(start=0.2)) as evaluator:
        for event in (EVENT, another_event()):
            assert evaluator.evaluate(OperatorPredicate("never_ready", (TITLE,)), event) is None
        state = state_of(evaluator, "never_ready")
        assert (state.failures, state.skipped, state.last_fault) == (1, 1, "not ready")


def test_failures_among_successes_disable_an_operator_too() -> None:
    asked = 0

    @operator("one_in_five_fails(title: string)", isolated=False)
    def one_in_five_fails(titles: object) -> bool:
        nonlocal asked
        asked += 1
        return 1 / (asked % 5) > 0

    evaluator = evaluator_of(one_in_five_fails)
    while state_of(evaluator, "one_in_five_fails").disabled_until is None:
        evaluator.evaluate(OperatorPredicate("one_in_five_fails", (TITLE,)), another_event())
        assert asked < 100


def test_an_operator_that_is_gone_fails() -> None:
    evaluator = evaluator_of()
    assert evaluator.evaluate(OperatorPredicate("gone", (TITLE,)), EVENT) is None
    assert state_of(evaluator, "gone").last_fault == "missing"


@pytest.mark.parametrize("in_a_process", [True, False])
def test_an_operator_is_prepared_once(in_a_process: bool) -> None:
    declaration = faults.prepared if in_a_process else here(faults.prepared)
    with evaluator_of(declaration) as evaluator:
        evaluator.start()
        for _ in range(2):
            assert evaluator.evaluate(OperatorPredicate("prepared", (0,)), another_event()) == ((1.0,),)


def test_a_daemonic_child_has_processes_of_its_own_and_leaves_ours_alone(isolated: Evaluator) -> None:
    ours = pid_of_process(isolated)
    receiver, sender = CHILD.Pipe(duplex=False)
    child = CHILD.Process(target=_tell_pid, args=(isolated, sender), daemon=True)
    child.start()
    theirs = receiver.recv()
    child.join()
    assert theirs not in (ours, child.pid)
    assert pid_of_process(isolated) == ours
    _ends(theirs)


def test_a_child_that_closes_what_it_inherited_ends_nothing_of_ours(isolated: Evaluator) -> None:
    ours = pid_of_process(isolated)
    child = CHILD.Process(target=isolated.close, daemon=True)
    child.start()
    child.join()
    assert child.exitcode == 0
    assert pid_of_process(isolated) == ours


def _tell_pid(evaluator: Evaluator, sender: Connection) -> None:
    sender.send(pid_of_process(evaluator))


def test_a_process_ends_with_whoever_started_it_even_in_the_middle_of_a_call(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    os.mkfifo(told)
    child = CHILD.Process(target=_hang, args=(told,), daemon=True)
    child.start()
    hanging = int(told.read_text())
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    _ends(hanging)


def _hang(told: Path) -> None:
    predicate = OperatorPredicate("waits_after_telling", (Constant(str(told)),))
    evaluator_of(faults.waits_after_telling).evaluate(predicate, EVENT)


def test_threads_share_an_evaluator_and_each_has_its_own_process(isolated: Evaluator) -> None:
    ours, theirs = pid_of_process(isolated), []
    thread = threading.Thread(target=lambda: theirs.append(pid_of_process(isolated)))
    thread.start()
    thread.join()
    assert theirs != [ours]
    assert pid_of_process(isolated) == ours
    _ends(theirs[0])


def test_a_process_that_somebody_killed_is_started_again(isolated: Evaluator) -> None:
    killed = psutil.Process(pid_of_process(isolated))
    failures = state_of(isolated, "process").failures
    killed.kill()
    killed.wait()
    assert pid_of_process(isolated) != killed.pid
    assert state_of(isolated, "process").failures == failures


def _ends(pid: int) -> None:
    """Waits until it does. A zombie is only for its parent to collect, which is not us."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE and process.ppid() != os.getpid():
                return
            process.wait(timeout=0.02)
        except psutil.NoSuchProcess:
            return
        except psutil.TimeoutExpired:
            continue
    pytest.fail(f"the process {pid} is still there")
