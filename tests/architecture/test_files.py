"""What committed files may not have: addresses of registries, paths of a machine, two ideas in one module."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.running_system import ROOT

# Modules that are over the limit, each with its reason.
LONG_FOR_A_REASON: dict[str, str] = {}
MOST_LINES = 400

ADDRESS = re.compile(r"https?://|git\+|file://|--(?:extra-)?index-url|--find-links|\bresolved\b")
FEWEST_PARTS = 3  # of a checkout's path that is nobody else's: a container has /app, too


def path_of_a_machine(root: Path) -> re.Pattern[str]:
    """Somebody's home, or something in the checkout at `root`."""
    places = ["/(?:home|root|Users)"]
    if len(root.parts) >= FEWEST_PARTS:
        places.append(re.escape(str(root)))
    return re.compile(rf"(?<![\w.])(?:{'|'.join(places)})/[\w.]")


def committed(*patterns: str) -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listing.stdout.splitlines() if (ROOT / name).is_file()]


def readable(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="ignore")


def test_lock_and_manifest_files_name_no_address() -> None:
    files = committed("*.lock", "*requirements*", "*manifest*.json", "pyproject.toml", "package*.json")
    assert ROOT / "requirements.lock" in files
    found = [f"{path.name}: {match[0]}" for path in files for match in ADDRESS.finditer(readable(path))]
    assert found == []


def test_every_pinned_package_has_a_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    pins = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE | re.IGNORECASE)[1:]
    assert len(pins) > 50
    assert [pin.split()[0] for pin in pins if "--hash=sha256:" not in pin] == []


def test_no_file_names_a_path_of_some_machine() -> None:
    own, forbidden = Path(__file__).resolve(), path_of_a_machine(ROOT)
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in committed()
        if path.resolve() != own and "vendor" not in path.parts
        for match in forbidden.finditer(readable(path))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("root", "text"),
    [
        ("/srv/shop", "open /srv/shop/manage.py"),
        ("/srv/shop", "PATH=/srv/shop/.venv/bin"),
        ("/srv/lesubscribe/code", "cd '/srv/lesubscribe/code/docs'"),
        ("/app", "see /home/anna/notes"),
        ("/", "see /Users/anna/notes"),
    ],
)
def test_a_path_of_some_machine_is_found(root: str, text: str) -> None:
    assert path_of_a_machine(Path(root)).search(text)


@pytest.mark.parametrize(
    ("root", "text"),
    [
        ("/srv/lesubscribe/code", "WorkingDirectory=/srv/lesubscribe/code\n"),
        ("/srv/lesubscribe/code", "/srv/lesubscribe/backups/tonight"),
        ("/srv/shop", "https://example.org/srv/shop/lots"),
        ("/app", "ENV PATH=/app/.venv/bin"),
        ("/", "https://example.org/feed"),
    ],
)
def test_what_any_machine_may_have_is_no_path_of_some_machine(root: str, text: str) -> None:
    assert not path_of_a_machine(Path(root)).search(text)


def test_no_module_is_over_the_limit_without_a_reason() -> None:
    lengths = {
        str(path.relative_to(ROOT)): readable(path).count("\n")
        for path in committed("*.py", "*.html", "*.css", "*.js", "*.lark")
        if not {"migrations", "vendor"} & set(path.parts)
    }
    too_long = {name for name, lines in lengths.items() if lines > MOST_LINES}
    assert too_long == set(LONG_FOR_A_REASON)
