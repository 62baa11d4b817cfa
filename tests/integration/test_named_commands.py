"""The commands for longer tests, which docs name in sentences and tables, run; here with little to do."""

import re
import subprocess
import sys

import pytest

from tests.documented import all_blocks, commands_in_text
from tests.running_system import ROOT

pytestmark = pytest.mark.any_database

# With these words, and what the last line is then.
SHORT = {
    "tests.bombs": ("--rounds 1 --only NaN", "VERDICT: all 1 refused in time"),
    "tests.containers": ("", "VERDICT: all services of compose.yaml are ready"),
    "tests.limits.commits": ("--seconds 1", "beside one without a pause"),
    "tests.limits.telling": ("--people 4 --database sqlite", "4 people were told"),
}
# What they do is done by these tests, through the same functions; here they say what they can do.
BY_FUNCTIONS = {
    "tests.chaos": "tests/unit/chaos/test_books.py",
    "tests.chaos.deliveries": "tests/faults/test_killed_deliveries.py",
    "tests.chaos.interleavings": "tests/faults/test_chaos.py",
    "tests.chaos.overload": "tests/faults/test_overload.py",
    "tests.hostile": "tests/integration/test_hostile_requests.py",
}
# Run elsewhere; or nowhere, since they write into the repository, ask the network, or run all tests.
ELSEWHERE = {
    "benchmarks": "tests/unit/benchmarks/test_quick_table.py",
    "benchmarks.pages": "tests/integration/test_pages_benchmark.py",
    "benchmarks.performance": "tests/unit/benchmarks/test_page.py",
    "benchmarks.query_plans": "tests/unit/benchmarks/test_query_plans.py",
    "tests.audit": "tests/unit/test_audit.py",
    "tests.both_databases": "Makefile",
    "tests.browser.screenshots": "tests/browser/test_screenshots.py",
    "tests.chaos.nights": "tests/faults/test_killed_nights.py",
    "tests.chaos.page": "tests/unit/chaos/test_pages.py",
    "tests.on_postgresql": "tests/both_databases.py",
}
_MODULE = re.compile(r"-m ((?:tests|benchmarks)\b[\w.]*)")


def ended(module: str, *words: str) -> str:
    """What the command printed; it must end well."""
    command = [sys.executable, "-m", module, *words]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def test_each_one_that_is_named_is_known_here() -> None:
    texts = [said for _, said in commands_in_text()]
    texts += [block.text for block in all_blocks()]
    texts.append((ROOT / "Makefile").read_text())
    named = {module for text in texts for module in _MODULE.findall(text)}
    assert named == {*SHORT, *BY_FUNCTIONS, *ELSEWHERE}


@pytest.mark.parametrize(("module", "test"), [*BY_FUNCTIONS.items(), *ELSEWHERE.items()])
def test_the_test_that_is_said_to_do_it_uses_it(module: str, test: str) -> None:
    package, _, name = module.rpartition(".")
    used = rf"{package}(\.| import ){name}\b" if package else rf"from {name} import __main__"
    assert re.search(used, (ROOT / test).read_text())


@pytest.mark.parametrize("module", SHORT)
def test_it_runs_to_its_end(module: str) -> None:
    words, last = SHORT[module]
    assert last in ended(module, *words.split()).splitlines()[-1]


@pytest.mark.parametrize("module", BY_FUNCTIONS)
def test_it_says_what_it_can_do(module: str) -> None:
    assert f"usage: python -m {module}" in ended(module, "--help")
