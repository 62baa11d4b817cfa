"""Settings as a start-up sees them: in a process of its own, with nothing but the given variables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running_system import ROOT

PRODUCTION = {
    "DJANGO_ENV": "production",
    "SECRET_KEY": "k3y-" * 20 + "with more than five different characters",
    "ALLOWED_HOSTS": "auctions.example.org",
    "BASE_URL": "https://auctions.example.org",
}


def manage(*words: str, var: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "VAR": str(var), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_nothing_set_is_a_good_start(tmp_path: Path) -> None:
    assert manage("check", var=tmp_path / "var").returncode == 0
    key = tmp_path / "var" / "secret_key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(key.read_text()) >= 50


def test_the_secret_key_stays_from_start_to_start(tmp_path: Path) -> None:
    manage("check", var=tmp_path)
    first = (tmp_path / "secret_key").read_text()
    manage("check", var=tmp_path)
    assert (tmp_path / "secret_key").read_text() == first


def test_production_with_all_it_needs_passes_the_deployment_check_without_a_warning(tmp_path: Path) -> None:
    answer = manage("check", "--deploy", "--fail-level", "WARNING", var=tmp_path, **PRODUCTION)
    assert answer.returncode == 0, answer.stderr
    assert "no issues (0 silenced)" in answer.stdout


@pytest.mark.parametrize("missing", ["SECRET_KEY", "ALLOWED_HOSTS", "BASE_URL"])
def test_production_is_refused_without_what_it_needs(tmp_path: Path, missing: str) -> None:
    answer = manage("check", var=tmp_path, **{**PRODUCTION, missing: ""})
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"Cannot start: {missing} must be ")
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("DJANGO_ENV", "prod"),
        ("DATABASE_URL", "mysql://host/db"),
        ("REDIS_URL", "localhost"),
    ],
)
def test_a_bad_value_stops_startup_with_one_sentence(tmp_path: Path, name: str, value: str) -> None:
    answer = manage("check", var=tmp_path, **{name: value})
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"Cannot start: {name} must be ")
    assert answer.stderr.count("\n") == 1


def test_every_variable_that_is_read_is_described_in_the_example_file() -> None:
    import re

    read = set(re.findall(r'env\.\w+\("([A-Z_]+)"', (ROOT / "lesubscribe" / "settings.py").read_text()))
    described = set(re.findall(r"^# ?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert read
    assert described == read
