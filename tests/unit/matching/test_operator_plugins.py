"""Declaring operators, finding those of other packages, and the one that docs/operators.md writes."""

import dataclasses
import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from matching.operators import plugins
from matching.operators.declaring import operator
from matching.operators.evaluation import Evaluator
from schema_registry.core.operators import Argument, OfAttribute, OperatorDeclaration, OperatorPredicate
from schema_registry.core.schema import Schema
from tests.running_system import ROOT

SCHEMA = Schema.from_dict(
    {
        "domains": {"words": {"kind": "text"}},
        "attributes": {"title": "words"},
        "event_types": {"lot": {"title": ["optional", "multiple"]}},
    }
)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory on the path in which packages can be installed."""
    monkeypatch.syspath_prepend(tmp_path)
    plugins.installed.cache_clear()
    yield tmp_path
    plugins.installed.cache_clear()


def install(site: Path, module: str, source: str, points: str) -> None:
    (site / f"{module}.py").write_text(source)
    about = site / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(points)


def blocks(language: str) -> list[str]:
    text = (ROOT / "docs/operators.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_a_signature_shows_names_types_and_results() -> None:
    @operator(" near( place : string,?km:number , unit: any ) ", cost=0.5, time_limit=2)
    def near(place: str, unit: object) -> bool:
        """How near it is.

        More on that.
        """
        return True

    assert near == OperatorDeclaration(
        "near",
        (Argument("place", "string"), Argument("km", "number", is_result=True), Argument("unit", "any")),
        cost=0.5,
        time_limit=2,
        description="How near it is.",
    )
    assert near.isolated


@pytest.mark.parametrize(
    ("signature", "why"),
    [
        ("near", "is not of the form"),
        ("near(place)", "'place' in 'near(place)' is not 'name: type'"),
        ("near(place: text)", "with one of the types number, string, any"),
        ("near(place: string, place: string)", "names an argument twice"),
        ("near(place: string, unit: any)", "hands 2 values"),
        ("near(?km: number)", "hands 0 values"),
    ],
)
def test_a_signature_that_does_not_fit_is_refused_with_a_sentence(signature: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        operator(signature)(lambda place: True)


def test_ours_are_found_without_any_problem() -> None:
    assert set(plugins.operators()) >= {"distance", "looks_like", "money", "similar"}
    assert [problem for problem in plugins.installed().problems if "builtin" in problem] == []
    assert all(declaration.description for declaration in plugins.operators().values())


def test_the_example_of_the_guide_is_installed_and_evaluated_in_a_process(site: Path) -> None:
    source, entry = blocks("python")[0], blocks("toml")[0]
    assert len(source.splitlines()) <= 10
    points = entry.replace('project.entry-points."lesubscribe.operators"', "lesubscribe.operators").replace(
        '"', ""
    )
    install(site, "our_operators", source, points)
    declaration = plugins.operators()["shouting"]
    assert declaration.isolated
    with Evaluator({"shouting": dataclasses.replace(declaration, time_limit=60)}) as evaluator:
        event = SCHEMA.validate({"event_type": ["lot"], "title": ["MINT condition", "RARE OLD clock!"]})
        predicate = OperatorPredicate("shouting", (OfAttribute("title"), 0))
        assert evaluator.evaluate(predicate, event) == ((50.0,), (66.0,))


def test_what_cannot_be_used_is_told_and_stops_nothing(site: Path) -> None:
    source = """
from matching.operators.declaring import operator
from schema_registry.core.operators import OperatorDeclaration

@operator("good(title: string)")
def good(titles): return True

@operator("money(title: string)")
def ours(titles): return True

@operator("contains(title: string)")
def keyword(titles): return True

@operator("endless(title: string)", time_limit=float("inf"))
def endless(titles): return True

plain = len
empty = OperatorDeclaration("empty", ())
hidden = operator("hidden(title: string)")(lambda titles: True)
"""
    names = ("good", "ours", "keyword", "endless", "plain", "empty", "hidden", "nothing")
    lines = "".join(f"{name} = shop:{name}\n" for name in names)
    install(site, "shop", source, f"[lesubscribe.operators]\n{lines}")
    install(
        site, "leaving", "raise SystemExit('bye')", "[lesubscribe.operators]\nleaving = leaving:leaving\n"
    )
    found = plugins.installed()
    assert "good" in found.operators
    assert found.operators["money"].function is not None
    assert found.operators["money"].function.__module__ == "matching.operators.builtin.money"
    told = dict(re.findall(r"The operator at (\S+) is left out: (.*)", "\n".join(found.problems)))
    assert set(told) == {*(f"shop:{name}" for name in names[1:]), "leaving:leaving"}
    assert told["shop:ours"] == "There is already an operator money."
    assert "not a name" in told["shop:keyword"]
    assert "positive" in told["shop:endless"]
    assert "@operator" in told["shop:plain"]
    assert "no function" in told["shop:empty"]
    assert "imported by name" in told["shop:hidden"]
    assert "AttributeError" in told["shop:nothing"]
    assert told["leaving:leaving"] == "SystemExit: bye"


def test_of_two_with_one_name_the_first_is_taken() -> None:
    point = EntryPoint("money", "matching.operators.builtin.money:money", plugins.GROUP)
    found = plugins.find([point, point])
    assert list(found.operators) == ["money"]
    assert found.problems == (
        f"The operator at {point.value} is left out: There is already an operator money.",
    )


def test_the_searches_of_the_guide_call_operators_as_they_are_declared() -> None:
    calls = re.findall(r"\b(\w+)\(((?:[^()]|'[^']*')*\?\w+)\)", "\n".join(blocks("text")))
    assert {name for name, _ in calls} == {"distance", "looks_like", "money", "similar"}
    for name, places in calls:
        declaration = plugins.operators()[name]
        given = re.findall(r"'[^']*'|[^,\s]+", places)
        assert len(given) == len(declaration.arguments), name
        for argument, place in zip(declaration.arguments, given, strict=True):
            if place.startswith("'") and declaration.check_constant is not None:
                assert declaration.check_constant(argument.name, place.strip("'")) is None
