"""Every command that README and docs show is run by a test that they name, or they say why not."""

import ast
import re
import shlex
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError

from tests.documented import Block, all_blocks, blocks_of, commands_in_text
from tests.running_system import ROOT

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def faults_of(block: Block) -> list[str]:
    if block.kind != "bash":
        return [f"{block.where}: commands stand in blocks marked bash"] if block.looks_like_commands else []
    if block.reason:
        return []
    if not block.test:
        return [f"{block.where}: neither a test that runs it is named, nor a reason why there is none"]
    path = ROOT / block.test
    if not path.is_file():
        return [f"{block.where}: there is no {block.test}"]
    if not {block.page, Path(block.page).name} & strings_in(path.read_text()):
        return [f"{block.where}: {block.test} does not read this page"]
    return []


def strings_in(code: str) -> set[str]:
    """Those that it uses: what a docstring or a comment says runs nothing."""
    nodes = list(ast.walk(ast.parse(code)))
    unused = {node.value for node in nodes if isinstance(node, ast.Expr)}
    return {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in unused
    }


def test_every_block_of_commands_is_run_or_says_why_not() -> None:
    blocks = all_blocks()
    assert sum(block.kind == "bash" for block in blocks) > 30
    assert [fault for block in blocks for fault in faults_of(block)] == []


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("```\nmake up\n```\n", "marked bash"),
        ("```\nVAR=/tmp/x .venv/bin/python manage.py up\n```\n", "marked bash"),
        ("```bash\nmake up\n```\n", "neither"),
        ("<!-- run by tests/nothing.py -->\n```bash\nmake up\n```\n", "no tests/nothing.py"),
        ("<!-- run by tests/guides.py -->\n```bash\nmake up\n```\n", "does not read"),
        (
            "<!-- All commands are run by tests/nothing.py -->\n\n```bash\nmake up\n```\n",
            "no tests/nothing.py",
        ),
    ],
)
def test_one_that_is_not_would_be_found(page: str, fault: str) -> None:
    (block,) = blocks_of("docs/page.md", page)
    (found,) = faults_of(block)
    assert fault in found


def test_a_test_that_only_speaks_of_a_page_does_not_run_it() -> None:
    text = "<!-- run by tests/limits/measuring.py -->\n```bash\nmake up\n```\n"
    (block,) = blocks_of("docs/reliability.md", text)
    assert block.test is not None
    assert "docs/reliability.md" in (ROOT / block.test).read_text()
    (found,) = faults_of(block)
    assert "does not read" in found


def test_commands_in_sentences_are_ones_that_there_are() -> None:
    faults = [f"{page}: {said}: {fault}" for page, said in commands_in_text() if (fault := _fault_of(said))]
    assert faults == []


@pytest.mark.parametrize(
    "said",
    [
        "make nonsense",
        "manage.py nonsense",
        "manage.py probe --hours 3",
        "python -m tests.chaos.nonsense",
        "python -m tests.chaos.deliveries --nonsense 3",
    ],
)
def test_one_that_there_is_not_would_be_found(said: str) -> None:
    assert _fault_of(said)


def _fault_of(said: str) -> str:
    """What is wrong with a command; nothing is run."""
    words = [word for word in shlex.split(said.replace("[", "").replace("]", "")) if word != "..."]
    while "=" in words[0] or words[0].startswith("$"):
        words.pop(0)
    if words[0] == "make":
        return "" if words[1] in TARGETS else "no such target"
    if "manage.py" in words:
        return _fault_of_manage(words[words.index("manage.py") + 1 :])
    if "-m" in words:
        return _fault_of_module(*words[words.index("-m") + 1 :])
    return ""


def _fault_of_manage(words: list[str]) -> str:
    name, *arguments = words
    if name not in get_commands():
        return "no such command"
    application = get_commands()[name]
    command = load_command_class(application, name) if isinstance(application, str) else application
    parser: ArgumentParser = command.create_parser("manage.py", name)
    if not arguments:
        return ""  # the command itself is meant
    try:
        parser.parse_args(arguments)
    except (CommandError, SystemExit) as error:
        return str(error)
    return ""


def _fault_of_module(name: str, *arguments: str) -> str:
    try:
        found = find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None or found.origin is None:
        return "no such module"
    origin = Path(found.origin) if name != "pytest" else ROOT / "tests" / "conftest.py"  # our own options
    sources = origin.parent.glob("*.py") if origin.name == "__init__.py" else [origin]
    known = "".join(path.read_text() for path in sources)
    options = [word.partition("=")[0] for word in arguments if word.startswith("--")]
    return "".join(f"no option {option}" for option in options if f'"{option}"' not in known)
