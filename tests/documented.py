"""The commands that README, CONTRIBUTING and docs name: in blocks, and in running text.

A block of commands is marked `bash`. A comment above it says which test runs it, or why none does; a comment
at the top of a page may say it for all of its blocks:

    <!-- run by tests/faults/test_backup.py -->
    <!-- not run: it takes an hour -->
    <!-- All commands are run by tests/integration/test_publishing_guide.py -->
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.running_system import ROOT

PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md", "lesubscribe/client/README.md")
_BLOCK = re.compile(
    r"^(?:<!-- (?:run by (?P<test>\S+)|not run: (?P<reason>[^>]+)) -->\n\n?)?"
    r"```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_ALL = re.compile(r"^<!-- All commands are run by (\S+) -->$", re.MULTILINE)
_IN_TEXT = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_COMMAND = re.compile(
    r"(?:\$ )?(?:\w+=\S+ )*(?:make [a-z]|(?:\S*bin/)?(?:python3?|pip|celery|manage\.py|docker) \S)"
)


@dataclass(frozen=True, slots=True)
class Block:
    page: str
    line: int
    kind: str
    text: str
    test: str | None = None
    reason: str | None = None

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def looks_like_commands(self) -> bool:
        return any(is_command(line) for line in self.text.splitlines())


def is_command(line: str) -> bool:
    return _COMMAND.match(line) is not None


def blocks_of(page: str, text: str) -> Iterator[Block]:
    everywhere = _ALL.search(text)
    for found in _BLOCK.finditer(text):
        test = found["test"] or (everywhere[1] if everywhere and not found["reason"] else None)
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, line, found["kind"], found["text"], test, found["reason"])


@cache
def pages() -> dict[str, str]:
    """By name, what they say."""
    found = sorted({path for pattern in PAGES for path in ROOT.glob(pattern)})
    return {str(path.relative_to(ROOT)): path.read_text() for path in found}


def all_blocks() -> list[Block]:
    return [block for page, text in pages().items() for block in blocks_of(page, text)]


def commands_in_text() -> Iterator[tuple[str, str]]:
    """Pages, and what stands in their sentences and tables."""
    for page, text in pages().items():
        for found in _IN_TEXT.findall(_BLOCK.sub("", text)):
            if is_command(found):
                yield page, found


def blocks_run_by(test: str, page: str) -> list[str]:
    """The commands of a page that this test is to run, in their order. There are some."""
    found = [block.text for block in blocks_of(page, (ROOT / page).read_text()) if block.test == test]
    assert found, f"{page} has nothing that is run by {test}"
    return found
