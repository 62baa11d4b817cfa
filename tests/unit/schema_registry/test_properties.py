"""Properties over random schemas, events and subscriptions. A failure prints the seed of its world."""

import contextlib
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from schema_registry.core import extension
from schema_registry.core.errors import SchemaConflict, SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.core.text import words
from schema_registry.language import STORED, Subscription, complete, parse
from tests.unit.schema_registry.examples import PAPER_SCHEMA
from tests.unit.schema_registry.reference import reference_matches
from tests.unit.schema_registry.strategies import STEPS, World, random_schema, worlds

_PIECES = "price title period ( ) [ ] , = != < <= > >= and or not in between contains exists 5 'x' oak 'z"
_GRAMMATICAL = st.lists(st.sampled_from([*_PIECES.split(), '"y"']), max_size=60).map(" ".join)


def _outcome(text: str, schema: Schema) -> Subscription | SubscriptionError:
    try:
        return parse(text, schema)
    except SubscriptionError as error:
        return error


@settings(max_examples=200, deadline=None)
@given(worlds())
def test_canonical_text_is_a_fixed_point_and_means_the_same(world: World) -> None:
    events = [world.schema.validate(document) for document in world.documents]
    for text in world.texts:
        subscription = _outcome(text, world.schema)
        if isinstance(subscription, SubscriptionError):
            continue
        again = parse(subscription.canonical, world.schema, limits=STORED)
        assert again.canonical == subscription.canonical
        assert set(again.conjunctions) == set(subscription.conjunctions)
        for event in events:
            assert again.matches(event) == subscription.matches(event)


@settings(max_examples=200, deadline=None)
@given(worlds())
def test_the_oracle_agrees_with_brute_force_over_all_bindings(world: World) -> None:
    definition = world.schema.to_dict()
    for text in world.texts:
        subscription = _outcome(text, world.schema)
        if isinstance(subscription, SubscriptionError):
            assert "can never hold" in subscription.message
            assert not any(reference_matches(text, document, definition) for document in world.documents)
            continue
        for document in world.documents:
            expected = reference_matches(text, document, definition)
            event = world.schema.validate(document)
            assert subscription.matches(event) == expected
            assert bool(subscription.explain(event)) == expected


@settings(max_examples=100, deadline=None)
@given(worlds(documents=5, texts=0), st.randoms(use_true_random=False))
def test_extensions_never_invalidate_an_event(world: World, rng: random.Random) -> None:
    schema = world.schema
    events = [schema.validate(document) for document in world.documents]
    for step in range(4):
        before = schema.version
        domain = rng.choice(sorted(schema.domains))
        schema = extension.create_domain(schema, f"new {step}", schema.domains[domain].definition())
        schema = extension.create_attribute(schema, f"new_{step}", rng.choice(sorted(schema.domains)))
        marks = {f"new_{step}": ["mandatory", "multiple"]}
        schema = extension.create_event_type(schema, f"new type {step}", marks)
        extended = rng.choice(sorted(schema.event_types))
        lacking = sorted(schema.attributes.keys() - schema.attribute_set(extended))
        if lacking:
            schema = extension.extend_event_type(
                schema, extended, rng.choice(lacking), multiple=rng.random() < 0.5
            )
        assert schema.version > before
    assert [schema.validate(document) for document in world.documents] == events


@settings(max_examples=100, deadline=None)
@given(worlds(documents=0, texts=0), st.randoms(use_true_random=False))
def test_every_step_of_extension_and_administration_yields_a_schema_whose_dict_loads(
    world: World, rng: random.Random
) -> None:
    schema = world.schema
    for step in range(12):
        try:
            new = rng.choice(STEPS)(schema, rng, f"new_{step}")
        except SchemaConflict:
            continue
        assert new.version == schema.version + 1
        assert Schema.from_dict(new.to_dict()).to_dict() == new.to_dict()
        schema = new


@settings(max_examples=100, deadline=None)
@given(worlds(documents=3, texts=0))
def test_an_event_written_out_validates_to_an_equal_one(world: World) -> None:
    for document in world.documents:
        event = world.schema.validate(document)
        assert world.schema.validate(event.to_dict()) == event


@given(st.integers(0, 2**32))
def test_a_schema_survives_the_way_through_its_dict(seed: int) -> None:
    document = random_schema(random.Random(seed))
    assert Schema.from_dict(document).to_dict() == document


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=4096), st.text("()[]'\"<>=!,and or not price5 ", max_size=600), _GRAMMATICAL)
)
def test_any_text_parses_or_raises_a_subscription_error(text: str) -> None:
    outcome = _outcome(text, PAPER_SCHEMA)
    if isinstance(outcome, Subscription):
        assert parse(outcome.canonical, PAPER_SCHEMA, limits=STORED).canonical == outcome.canonical
        return
    assert outcome.message
    assert 1 <= outcome.line <= text.count("\n") + 1
    assert outcome.column >= 1
    assert outcome.message in outcome.pretty()
    outcome.pretty().encode()


@settings(max_examples=200, deadline=None)
@given(_GRAMMATICAL, st.integers(0, 200))
def test_completion_of_any_text_offers_a_stretch_before_the_cursor(text: str, cursor: int) -> None:
    completion = complete(text, cursor, PAPER_SCHEMA)
    assert 0 <= completion.start <= completion.end <= max(cursor, 0)
    assert len(completion.offers) <= 50


@given(st.text(max_size=200))
def test_each_word_of_a_text_is_the_only_word_of_itself(text: str) -> None:
    with contextlib.suppress(ValueError):
        for word in words(text):
            assert words(word) == (word,)
