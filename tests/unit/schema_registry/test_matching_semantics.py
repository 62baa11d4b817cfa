"""When an event matches: what docs/language.md says, case by case."""

import pytest

from schema_registry.core import administration
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from schema_registry.language.subscription import Held
from tests.unit.schema_registry.examples import PAPER_SCHEMA, event, matches, subscription


def test_the_papers_subscription_matches_antiques_below_dining_tables_only() -> None:
    wanted = subscription("[(event_type contains antiques) and (furniture_category < 'dining table')]")
    base = {"event_type": ["antiques", "furniture"], "price": 200, "quantity": 2, "period": "XVI"}

    def antique(category: str) -> bool:
        return wanted.matches(PAPER_SCHEMA.validate({**base, "furniture_category": category}))

    assert antique("extending table")
    assert not antique("dining table")
    assert not antique("table")
    modern = {"event_type": "furniture", "price": 1, "quantity": 1, "furniture_category": "extending table"}
    assert not wanted.matches(PAPER_SCHEMA.validate(modern))


def test_predicates_on_one_attribute_must_hold_for_the_same_value() -> None:
    assert not matches("price > 10 and price < 15", price=[5, 20])
    assert matches("price > 10 and price < 15", price=[5, 12, 20])


def test_predicates_on_different_attributes_are_bound_independently() -> None:
    assert matches("price > 10 and material = oak", price=[5, 20], material=["oak", "pine"])


def test_branches_of_an_or_may_use_different_values() -> None:
    assert matches("price < 6 or price > 100", price=[5, 50])


def test_contains_is_about_the_whole_set_and_not_tied_to_the_binding() -> None:
    assert matches("price contains 5 and price contains 20", price=[5, 20])
    assert matches("price contains 5 and price > 10", price=[5, 20])
    assert not matches("price < 6 and price > 4 and price != 5", price=[5, 20])


def test_contains_on_a_hierarchy_means_that_very_value() -> None:
    assert matches("furniture_category contains table", furniture_category=["table", "chair"])
    assert not matches("furniture_category contains furniture", furniture_category=["table", "chair"])


@pytest.mark.parametrize(
    "predicate",
    [
        "price = 5",
        "price != 5",
        "price < 5",
        "price in (5, 6)",
        "price between 1 and 9",
        "price contains 5",
        "price exists",
    ],
)
def test_an_absent_attribute_makes_every_predicate_false_negated_or_not(predicate: str) -> None:
    assert not matches(predicate, material="oak")
    if predicate != "price exists":
        assert not matches(f"not {predicate}", material="oak")


def test_not_exists_is_true_exactly_when_the_attribute_is_absent() -> None:
    assert matches("not price exists", material="oak")
    assert not matches("not price exists", price=5)
    assert matches("price exists", price=5)
    assert matches("not not price exists", price=5)


@pytest.mark.parametrize("absent", [None, []])
def test_null_and_the_empty_list_mean_absent(absent: object) -> None:
    assert matches("not price exists", price=absent, material="oak")


def test_not_contains_needs_the_attribute_and_the_value_missing_from_it() -> None:
    assert matches("not price contains 5", price=[6, 7])
    assert not matches("not price contains 5", price=[5, 7])
    assert not matches("not price contains 5", material="oak")


def test_not_is_pushed_through_and_and_or() -> None:
    assert matches("not (price < 5 and material = oak)", price=7, material="oak")
    assert not matches("not (price < 5 or material = oak)", price=7, material="oak")
    assert matches("not (price < 5 or material = oak)", price=7, material="pine")
    assert not matches("not (price < 5 or material = oak)", price=7)


def test_unequal_is_true_when_some_value_differs() -> None:
    assert matches("material != oak", material=["oak", "pine"])
    assert matches("not material = oak", material=["oak", "pine"])
    assert not matches("material != oak", material="oak")


def test_not_below_on_a_total_order_is_at_least() -> None:
    assert matches("not price < 5", price=[3, 5])
    assert not matches("not price < 5", price=[3, 4])


def test_not_below_on_a_partial_order_includes_the_incomparable() -> None:
    assert matches("not period < XVIII", period="unknown")
    assert not matches("period >= XVIII", period="unknown")
    assert not matches("not period < XVIII", period="XVI")


def test_not_in_and_not_between_are_about_one_binding() -> None:
    assert matches("not price in (5, 6)", price=[5, 7])
    assert not matches("not price in (5, 6)", price=[5, 6])
    assert matches("not price between 5 and 6", price=[5, 7])
    assert not matches("not price between 5 and 6 and price < 6.5", price=[5, 7])
    assert matches("not period between XVI and XVII", period="unknown")


def test_between_includes_both_ends_on_any_ordered_domain() -> None:
    assert matches("price between 5 and 6", price=5)
    assert matches("price between 5 and 6", price=6)
    assert not matches("price between 5 and 6", price=[4.9, 6.1])
    assert matches("period between XVI and XVIII", period="XVII")
    assert matches("furniture_category between 'dining table' and furniture", furniture_category="table")
    assert matches("material between a and b", material="ab")


def test_text_contains_means_that_all_the_words_occur() -> None:
    assert matches("title contains 'omega seamaster'", title="A SEAMASTER by Omega")
    assert not matches("title contains 'omega seamaster'", title="Omega Speedmaster")
    assert matches("not title contains 'omega seamaster'", title="Omega Speedmaster")
    assert not matches("title contains omega", title="omegas")


def test_several_texts_count_as_one_set_of_words() -> None:
    assert matches("title contains 'omega seamaster'", title=["Omega", "Seamaster"])


def test_a_text_without_words_is_present() -> None:
    assert matches("title exists", title="!!!")
    assert matches("not title contains omega", title="!!!")


def test_words_are_compared_after_compatibility_folding() -> None:
    assert matches("title contains strasse", title="STRAẞE")
    assert matches("title contains 'ﬁne'", title="Fine")


def test_hierarchies_compare_by_ancestors() -> None:
    assert matches("furniture_category <= furniture", furniture_category="table")
    assert matches("furniture_category <= table", furniture_category="table")
    assert not matches("furniture_category < table", furniture_category="table")
    assert matches("furniture_category > 'dining table'", furniture_category="furniture")
    assert matches("furniture_category >= table", furniture_category="table")
    assert not matches("furniture_category <= chair", furniture_category="table")
    assert not matches("furniture_category >= chair", furniture_category="table")
    assert matches("not furniture_category <= chair", furniture_category=["chair", "table"])


def test_strings_compare_by_code_point_after_nfc() -> None:
    assert matches("material < a", material="B")
    assert matches("material = 'e\u0301'", material="é")
    assert matches("material = ''", material="")


def test_numbers_compare_as_decimals() -> None:
    assert matches("price = 0.3", price=0.3)
    assert not matches("price = 0.3", price=0.30000000000001)
    assert matches("price = 2e2", price=200)


def test_event_types_are_values_like_any_other() -> None:
    both = PAPER_SCHEMA.validate(
        {"event_type": ["antiques", "anything"], "price": 1, "period": "XVI", "quantity": 1}
    )
    assert subscription("event_type contains antiques and event_type contains anything").matches(both)
    assert subscription("event_type = antiques").matches(both)
    assert subscription("event_type != antiques").matches(both)
    assert not subscription("not event_type contains antiques").matches(both)


def test_explain_names_each_predicate_and_the_value_it_held_for() -> None:
    wanted = subscription(
        "price < 10 and price > 4 and title contains omega and not material exists"
        " and not period contains XVI"
    )
    happened = event(price=[3, 5], title="Omega watch", period=["XVII", "unknown"])
    assert wanted.explain(happened) == [
        Held("not material exists", "material", None),
        Held("not period contains XVI", "period", "XVII, unknown"),
        Held("price < 10", "price", 5),
        Held("price > 4", "price", 5),
        Held("title contains omega", "title", "omega"),
    ]
    assert wanted.explain(event(price=3)) == []


def test_explain_takes_the_branch_that_matched() -> None:
    wanted = subscription("price < 3 or material = oak")
    assert wanted.explain(event(price=5, material=["oak", "pine"])) == [
        Held("material = oak", "material", "oak")
    ]


def test_an_event_with_a_value_added_later_matches_an_older_subscription() -> None:
    older = subscription("furniture_category < table and period > XVI")
    grown = administration.add_values(PAPER_SCHEMA, "furniture", {"desk": "table"})
    grown = administration.add_values(grown, "period", ["XIX"], order=[["XVIII", "XIX"]])
    document = {"event_type": "anything", "furniture_category": "desk", "period": "XIX"}
    assert older.matches(grown.validate(document))


def test_an_older_event_matches_a_subscription_with_a_value_added_later() -> None:
    grown = administration.add_values(PAPER_SCHEMA, "period", ["XIX"], order=[["XVIII", "XIX"]])
    newer = parse("period < XIX", grown)
    assert newer.matches(event(period="XVI"))
    assert not newer.matches(event(period="unknown"))


def test_a_subscription_survives_the_round_trip_of_its_schema() -> None:
    again = Schema.from_dict(PAPER_SCHEMA.to_dict())
    assert parse("price < 5", again).matches(event(price=3))
