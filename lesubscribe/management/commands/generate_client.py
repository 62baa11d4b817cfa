"""Generates the part of the Python client that follows from the API's OpenAPI document.

What is written by hand is beside it, in `lesubscribe/client/lesubscribe_client`. The same API gives the same
files, byte by byte, so that a test can tell whether the committed ones are those of the present API.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

PROJECT = Path(__file__).resolve().parents[2] / "client"
GENERATED = PROJECT / "lesubscribe_client" / "_api"
SETTINGS = PROJECT / "generator.json"
_BY_RUFF = (
    (
        "check",
        "--isolated",
        "--quiet",
        "--fix-only",
        "--select",
        "I,F401,RUF100",
        "--target-version",
        "py311",
    ),
    ("format", "--isolated", "--quiet", "--line-length", "110", "--target-version", "py311"),
)


class Command(BaseCommand):
    help = "Generates the Python client's private part from the OpenAPI document."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django declares it)

    def handle(self, *args: Any, **options: Any) -> None:
        with tempfile.TemporaryDirectory() as directory:
            said = generate(Path(directory) / "_api")
            shutil.rmtree(GENERATED, ignore_errors=True)
            shutil.copytree(Path(directory) / "_api", GENERATED)
        self.stdout.write(said)
        self.stdout.write(f"Wrote {sum(1 for _ in GENERATED.rglob('*.py'))} modules to {GENERATED.name}.")


def generate(into: Path) -> str:
    """Write the package there, where nothing is yet; what the generator had to say. Raises CommandError."""
    document = into.parent / "openapi.json"
    call_command("spectacular", format="openapi-json", file=str(document), validate=True, fail_on_warn=True)
    generator = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    paths = ["--path", str(document), "--config", str(SETTINGS), "--output-path", str(into)]
    said = _run([*generator, *paths])
    for words in _BY_RUFF:
        _run([sys.executable, "-m", "ruff", words[0], *words[1:], str(into)])
    return said


def _run(command: list[str]) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": "0"}  # the generator orders some names by their hashes
    answer = subprocess.run(command, env=environment, capture_output=True, text=True)
    if answer.returncode != 0:
        raise CommandError(answer.stdout + answer.stderr)
    return answer.stdout + answer.stderr
