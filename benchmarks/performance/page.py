"""docs/performance.md and its pictures, made of saved results alone: no figure is written by hand."""

from pathlib import Path

from benchmarks.performance import guide
from benchmarks.performance.results import Results
from benchmarks.performance.sections import PICTURES, SECTIONS, Page

PAGE = "performance.md"
ORIGIN = (
    "<!-- Made by `python -m benchmarks.performance page` of benchmarks/results/performance."
    " Changes belong there. -->"
)
TRIAL = "**A trial with a hundredth of the subscriptions that it names: its figures say nothing.**"


def write(results: Path, *, into: Path) -> None:
    """The page and its pictures, and the measured part of the guide, in place of those that were there."""
    saved = Results.read(results)
    page = made_of(saved)
    directory = into / PICTURES
    directory.mkdir(parents=True, exist_ok=True)
    for picture in directory.glob("*.svg"):
        picture.unlink()
    for name, drawing in page.drawings.items():
        (directory / f"{name}.svg").write_text(drawing.svg())
    (into / PAGE).write_text(page.text())
    guide.write(saved, into)


def made_of(results: Results) -> Page:
    page = Page(results)
    page.say("# Performance", ORIGIN, *([TRIAL] if results.is_quick else []))
    for section in SECTIONS:
        section(page)
    return page
