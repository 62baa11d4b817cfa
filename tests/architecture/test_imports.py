"""Who may import whom: the contract in pyproject.toml holds, and the pure packages really run alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running_system import ROOT

PURE = [
    "schema_registry.core",
    "schema_registry.language",
    "matching.algorithms",
    "matching.operators",
    "matching.engine",
    "matching.feeds",
    "matching.workloads",
    "notifications.core",
    "spark_jobs",
]
FRAMEWORKS = ["django", "rest_framework", "celery", "redis"]
CLIENT = ROOT / "lesubscribe" / "client"

IMPORT_WITHOUT_FRAMEWORKS = """
import importlib, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {frameworks!r}:
            raise ImportError(f"{{name}} is not for pure packages")

sys.meta_path.insert(0, Refuse())
package = importlib.import_module({package!r})
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
"""


def test_the_import_contract_holds() -> None:
    answer = subprocess.run(
        ["lint-imports", "--no-logo"],
        executable=str(ROOT / ".venv" / "bin" / "lint-imports"),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(CLIENT)},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize("package", PURE)
def test_a_pure_package_imports_with_the_frameworks_blocked(package: str) -> None:
    program = IMPORT_WITHOUT_FRAMEWORKS.format(frameworks=FRAMEWORKS, package=package)
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("package", ["schema_registry.core", "schema_registry.language"])
def test_the_schema_core_needs_the_standard_library_lark_and_sortedcontainers_only(package: str) -> None:
    program = IMPORT_WITHOUT_FRAMEWORKS.format(frameworks=FRAMEWORKS, package=package)
    program += "print(*{name.split('.')[0] for name in sys.modules} - before - sys.stdlib_module_names)"
    program = "import sys; before = {name.split('.')[0] for name in sys.modules}\n" + program
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(answer.stdout.split()) <= {"schema_registry", "lark", "sortedcontainers"}


def test_the_client_imports_where_nothing_else_of_ours_is(tmp_path: Path) -> None:
    program = IMPORT_WITHOUT_FRAMEWORKS.format(frameworks=FRAMEWORKS, package="lesubscribe_client")
    program += "assert not {'lesubscribe', 'matching', 'schema_registry'} & set(sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(CLIENT)},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr


def test_the_blocking_itself_works() -> None:
    program = IMPORT_WITHOUT_FRAMEWORKS.format(frameworks=FRAMEWORKS, package="schema_registry.accounts")
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert "django.apps is not for pure packages" in answer.stderr or "is not for pure" in answer.stderr
