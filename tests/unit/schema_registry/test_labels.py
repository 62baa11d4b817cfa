"""How values are named in subscriptions: by identifier, by label, by path."""

import random

import pytest

from schema_registry.core.domains import FiniteDomain
from schema_registry.core.errors import OutsideDomain
from tests.unit.schema_registry.examples import TAXONOMY, finite


def test_a_constant_may_be_an_identifier_a_label_or_a_path() -> None:
    domain = finite(TAXONOMY)
    assert domain.constant("3") == "3"
    assert domain.constant("Garden") == "2"
    assert domain.constant("Home > Lamps") == "3"
    assert domain.constant("Lamps>Path") == "6"
    assert domain.constant("1 > 3 > Desk") == "5"


def test_an_ambiguous_label_lists_the_candidates() -> None:
    with pytest.raises(OutsideDomain, match=r"'3' \(Home > Lamps\), '4' \(Garden > Lamps\)"):
        finite(TAXONOMY).constant("Lamps")


@pytest.mark.parametrize("text", ["Kitchen", "Home > Path", "Garden > Desk", "> Lamps", "home"])
def test_a_name_that_is_nowhere_is_outside_the_domain(text: str) -> None:
    with pytest.raises(OutsideDomain, match="not one of its values"):
        finite(TAXONOMY).constant(text)


def test_a_path_from_a_root_wins_over_the_same_path_deeper_down() -> None:
    domain = finite(
        {
            "kind": "hierarchical",
            "values": {"a": None, "b": "a", "c": "b", "h": None, "l": "h"},
            "labels": {"b": "Home", "c": "Lamps", "h": "Home", "l": "Lamps"},
        }
    )
    assert domain.constant("Home > Lamps") == "l"


def test_a_label_with_an_arrow_in_it_is_found_before_it_is_read_as_a_path() -> None:
    domain = finite(
        {
            "kind": "hierarchical",
            "values": {"a": None, "b": "a", "c": "b"},
            "labels": {"a": "Over", "b": "100", "c": "Over > 100"},
        }
    )
    assert domain.constant("Over > 100") == "c"
    assert domain.constant("Over>100") == "b"


def crowded_taxonomy() -> FiniteDomain:
    """Sixty shelves with thirty others each; one shelf in two stands in a room."""
    values: dict[str, str | None] = {"room": None}
    labels = {"room": "Room"}
    for shelf in range(60):
        values[f"s{shelf}"] = "room" if shelf % 2 else None
        labels[f"s{shelf}"] = "Shelf"
        values |= {f"s{shelf}-{i}": f"s{shelf}" for i in range(30)}
        labels |= {f"s{shelf}-{i}": "Other" for i in range(30)}
    values |= {"deep": "s7-3", "Other": "s3", "lone": "s8"}
    labels |= {"deep": "Other", "lone": "Lamp"}
    return finite({"kind": "hierarchical", "values": values, "labels": labels})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("s7-3 > Other", "deep"),
        ("Room > s7 > s7-3 > Other", "deep"),
        ("Shelf > Lamp", "lone"),
        ("s8 > Lamp", "lone"),
        ("s7 > Other > deep", "deep"),
        ("Room > Shelf > Other > deep", "deep"),
    ],
)
def test_a_path_through_labels_that_very_many_values_have_is_followed(path: str, value: str) -> None:
    assert crowded_taxonomy().constant(path) == value


@pytest.mark.parametrize("path", ["Shelf > Other", "Other > Other", "s1 > Other", "Room > Shelf"])
def test_a_path_that_leads_to_very_many_values_is_refused(path: str) -> None:
    with pytest.raises(OutsideDomain, match="Too many values have the labels of this path"):
        crowded_taxonomy().constant(path)


def test_paths_in_random_hierarchies_agree_with_a_search_of_all_values() -> None:
    rng = random.Random(5)
    for size in [8] * 100 + [120] * 20:
        values = [str(i) for i in range(size)]
        parents = {value: rng.choice([None, *values[:i]]) for i, value in enumerate(values)}
        labels = {value: rng.choice("0ABC") for value in rng.sample(values, size * 3 // 4)}
        domain = finite({"kind": "hierarchical", "values": parents, "labels": labels})
        for _ in range(20):
            steps = [rng.choice([*"0ABC", "1", "2"]) for _ in range(rng.randint(2, 4))]
            expected = _ends_of(steps, parents, labels)
            try:
                found = domain.named(" > ".join(steps))
            except OutsideDomain:
                assert size == 120
            else:
                assert sorted(found) == sorted(expected)


def _ends_of(steps: list[str], parents: dict[str, str | None], labels: dict[str, str]) -> list[str]:
    found = []
    for value in parents:
        place: str | None = value
        for step in reversed(steps):
            if place is None or step not in (place, labels.get(place)):
                break
            place = parents[place]
        else:
            found.append((value, place))
    from_root = [value for value, place in found if place is None]
    return from_root if len(from_root) == 1 else [value for value, _ in found]


def test_an_identifier_wins_over_a_label() -> None:
    domain = finite({"kind": "enumerated", "values": ["a", "b"], "labels": {"b": "a"}})
    assert domain.constant("a") == "a"
