"""The generated part of the client is what the present API generates."""

from pathlib import Path

from lesubscribe.management.commands.generate_client import GENERATED, generate


def test_the_committed_code_is_that_of_the_present_api(tmp_path: Path) -> None:
    generate(tmp_path / "_api")
    fresh, committed = modules(tmp_path / "_api"), modules(GENERATED)
    assert sorted(fresh) == sorted(committed), "run: make client"
    assert [name for name in fresh if fresh[name] != committed[name]] == [], "run: make client"


def modules(package: Path) -> dict[str, str]:
    return {str(path.relative_to(package)): path.read_text() for path in package.rglob("*.py")}
