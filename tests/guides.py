"""Guides whose commands are run: their blocks, a terminal to run them in, and whether answers are as shown.

A block of answers belongs to the commands before it and shows the last things they printed. Shown JSON may
leave fields out; digits in a text and the numbers of rows are not compared.
"""

import json
import re
import subprocess
import sys
import threading
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

from tests.running_system import ROOT

ADDRESS = "http://localhost:8000"
SECONDS_PER_BLOCK = 60
NUMBERS_OF_ROWS = {"id", "version", "subscription"}
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_END = "--- end of the block ---"


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    text: str
    line: int


def blocks(guide: str, address: str = ADDRESS) -> list[Block]:
    """The blocks of a guide, for a system at this address."""
    return [
        Block(
            found[1],
            found[2].replace(ADDRESS, address).replace(".venv/bin/python", sys.executable),
            guide.count("\n", 0, found.start()) + 1,
        )
        for found in _BLOCK.finditer(guide)
    ]


class Shell:
    """A terminal: what one block sets, the next one has. It ends at the first command that fails."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            ["bash", "-e", "-o", "pipefail"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, commands: str) -> str:
        """What they print. Fails if one of them fails, or if they take too long."""
        process = self._process
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"{commands}\nprintf '\\n%s\\n' '{_END}'\n")
        process.stdin.flush()
        guard = threading.Timer(SECONDS_PER_BLOCK, process.kill)
        guard.start()
        printed = ""
        for line in process.stdout:
            if line.strip() == _END:
                guard.cancel()
                return printed
            printed += line
        guard.cancel()
        raise AssertionError(f"This failed or took too long:\n{commands}\nIt printed:\n{printed}")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def run_python(block: Block, names: dict[str, Any]) -> str:
    printed = StringIO()
    code = compile("\n" * block.line + block.text, "guide", "exec")
    with redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def check_shown(block: Block, printed: str) -> None:
    where = f"line {block.line} of the guide; printed was: {printed}"
    lines = printed.splitlines()
    if block.kind == "json":
        shown = documents(block.text)
        answers = [json.loads(line) for line in lines if line.startswith(("{", "["))]
        assert fits(shown, answers[-len(shown) :]), where
    else:
        assert all(any(fits(shown, line) for line in lines) for shown in block.text.splitlines()), where


def documents(text: str) -> list[Any]:
    """The JSON values that stand one after another."""
    found = []
    while text := text.strip():
        document, end = json.JSONDecoder().raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


def fits(shown: Any, answer: Any) -> bool:
    """Whether what the guide shows is what came."""
    if isinstance(shown, dict):
        return isinstance(answer, dict) and all(
            name in answer and (name in NUMBERS_OF_ROWS or fits(each, answer[name]))
            for name, each in shown.items()
        )
    if isinstance(shown, list):
        return isinstance(answer, list) and len(shown) == len(answer) and all(map(fits, shown, answer))
    if isinstance(shown, str):
        pattern = re.sub(r"\d+", r"\\d+", re.escape(shown))
        return isinstance(answer, str) and re.fullmatch(pattern, answer) is not None
    return bool(shown == answer)
