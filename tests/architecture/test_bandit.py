"""bandit finds nothing in our packages; what it is told to pass over has its reason on the line."""

import json
import re
import subprocess
from pathlib import Path

from tests.architecture.test_files import committed, readable
from tests.running_system import ROOT

PACKAGES = ["lesubscribe", "schema_registry", "matching", "notifications", "spark_jobs", "manage.py"]
EXCEPTION = re.compile(r"#\s*nosec\b.*")
EXCEPTION_WITH_REASON = re.compile(r"# nosec B\d{3}(?:, B\d{3})*  # (?:noqa: S\d{3}\s*[-#] ?)?\w.*")


def findings(*paths: str) -> list[str]:
    answer = subprocess.run(
        ["bandit", "--quiet", "--recursive", *paths, "--configfile", "pyproject.toml", "--format", "json"],
        executable=str(ROOT / ".venv" / "bin" / "bandit"),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    report = json.loads(answer.stdout)
    assert report["errors"] == []
    return [f"{each['filename']}:{each['line_number']} {each['test_id']}" for each in report["results"]]


def test_it_finds_nothing() -> None:
    assert findings(*PACKAGES) == []


def test_it_would_find_something(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text("import pickle\n\n\ndef read(given):\n    return pickle.loads(given)\n")
    assert [found.split()[-1] for found in findings(str(tmp_path))] == ["B403", "B301"]


def test_every_exception_names_the_rule_and_the_reason() -> None:
    exceptions = [
        (path.name, found[0])
        for path in committed(*(f"{package}/*.py" for package in PACKAGES), "manage.py")
        for found in EXCEPTION.finditer(readable(path))
    ]
    assert len(exceptions) > 10
    assert [each for each in exceptions if not EXCEPTION_WITH_REASON.fullmatch(each[1])] == []
