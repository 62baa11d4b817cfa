"""docs/security.md: it has every requirement of the standard once, and the tests that it names are there."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from tests.running_system import ROOT

# Of OWASP ASVS 5.0.0: how many requirements of each section are of level 1 or 2. They are the first ones.
SECTIONS = {
    1: {1: 2, 2: 9, 3: 11, 4: 3, 5: 2},
    2: {1: 3, 2: 3, 3: 4, 4: 1},
    3: {2: 2, 3: 4, 4: 6, 5: 5, 7: 2},
    4: {1: 3, 2: 1, 3: 2, 4: 4},
    5: {1: 1, 2: 3, 3: 2, 4: 3},
    6: {1: 3, 2: 12, 3: 4, 4: 4, 5: 5, 6: 3, 8: 4},
    7: {1: 3, 2: 4, 3: 2, 4: 5, 5: 2, 6: 2},
    8: {1: 2, 2: 3, 3: 1, 4: 1},
    9: {1: 3, 2: 4},
    10: {1: 2, 2: 2, 3: 4, 4: 11, 5: 5, 6: 2, 7: 3},
    11: {1: 2, 2: 3, 3: 3, 4: 4, 5: 1, 6: 1},
    12: {1: 3, 2: 2, 3: 4},
    13: {1: 1, 2: 5, 3: 2, 4: 5},
    14: {1: 2, 2: 4, 3: 3},
    15: {1: 3, 2: 3, 3: 7},
    16: {1: 1, 2: 5, 3: 4, 4: 3, 5: 3},
    17: {1: 1, 2: 4, 3: 2},
}
REQUIREMENTS = [
    f"{chapter}.{section}.{number}"
    for chapter, sections in SECTIONS.items()
    for section, count in sections.items()
    for number in range(1, count + 1)
]
STATES = {"yes", "partly", "no", "said", "yours"}
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
PAGE = (ROOT / "docs" / "security.md").read_text()


def rows() -> list[list[str]]:
    """Of the tables of requirements."""
    lines = PAGE[PAGE.index("## The checklist") :].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [row for row in cells if row[0][0].isdigit()]


def meant(names: str) -> Iterator[str]:
    """`1.2.6-1.2.8, 10.*` in full."""
    for name in names.split(", "):
        if name.endswith(".*"):
            yield from (each for each in REQUIREMENTS if each.startswith(name[:-1]))
        elif "-" in name:
            first, last = (REQUIREMENTS.index(end) for end in name.split("-"))
            yield from REQUIREMENTS[first : last + 1]
        else:
            yield name


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text())
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in functions if node.name.startswith("test_"))


def test_every_requirement_is_there_once() -> None:
    assert len(REQUIREMENTS) == 253
    assert f"All {len(REQUIREMENTS)} requirements" in PAGE
    named = Counter(each for row in rows() for each in meant(row[0]))
    assert [each for each in REQUIREMENTS if each not in named] == []
    assert [each for each in named if each not in REQUIREMENTS] == []
    assert [each for each, count in named.items() if count > 1] == []


def test_what_holds_is_proved_by_a_test() -> None:
    judged = [row for row in rows() if len(row) == 4]
    assert len(judged) > 90
    assert [row[0] for row in judged if row[1] not in STATES] == []
    assert [row[0] for row in judged if row[1] == "yes" and not TEST.search(row[3])] == []


def test_every_test_that_is_named_is_there() -> None:
    named = TEST.findall(PAGE)
    assert len(named) > 100
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).exists() or (name and name not in names_in(path))
    ]
    assert missing == []
