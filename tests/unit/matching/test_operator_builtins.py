"""The operators that come with us, against values that are known elsewhere."""

import base64
import dataclasses
import io
import random
from collections.abc import Iterator

import PIL.Image
import PIL.ImageDraw
import pytest

from matching.operators import plugins
from matching.operators.builtin.cities import cities, point_of
from matching.operators.builtin.looks_like import hash_of, hash_of_picture
from matching.operators.builtin.rates import PER_EURO
from matching.operators.evaluation import Evaluator
from schema_registry.core.operator_meaning import Rows
from schema_registry.core.operators import Constant, OfAttribute, OperatorPredicate
from schema_registry.core.schema import Schema

SCHEMA = Schema.from_dict(
    {
        "domains": {"words": {"kind": "text"}, "name": {"kind": "string"}, "number": {"kind": "numeric"}},
        "attributes": {
            "title": "words", "image": "words", "location": "name", "currency": "name", "price": "number"
        },
        "event_types": {
            "lot": {
                name: ["optional", "multiple"] for name in ("title", "image", "location", "currency", "price")
            }
        },
    }
)  # fmt: skip


EVALUATOR = Evaluator(
    {name: dataclasses.replace(each, time_limit=60) for name, each in plugins.operators().items()}
)


@pytest.fixture(scope="module", autouse=True)
def _closed_in_the_end() -> Iterator[None]:
    with EVALUATOR:
        yield


def call(name: str, *places: object, **event: object) -> Rows | None:
    """The rows of a call; a place is an attribute if the event has it, and `...` for the result."""
    arguments = tuple(
        0 if place is ... else OfAttribute(str(place)) if place in event else Constant(place)  # type: ignore[arg-type]
        for place in places
    )
    rows = EVALUATOR.evaluate(
        OperatorPredicate(name, arguments), SCHEMA.validate({"event_type": ["lot"], **event})
    )
    assert [state.last_error for state in EVALUATOR.states() if state.failures] == []
    return rows


def kilometres(here: object, there: str) -> float | None:
    rows = call("distance", "location", there, ..., location=here)
    assert rows is not None
    return float(rows[0][0]) if rows else None


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ("Paris", "Lyon", 392),
        ("Paris", "London", 344),
        ("New York", "Los Angeles", 3_936),
        ("Sydney", "Tokyo", 7_820),
        ("48.8566, 2.3522", "45.7640;4.8357", 392),
        ("0,179.5", "0,-179.5", 111),
    ],
)
def test_distances_are_those_of_an_atlas(here: str, there: str, expected: float) -> None:
    found = kilometres(here, there)
    assert found == pytest.approx(expected, rel=0.01)
    assert kilometres(there, here) == found


def test_a_name_is_that_of_the_most_populous_city_unless_it_says_where() -> None:
    paris, texas = point_of("Paris"), point_of("Paris, TX")
    assert paris == point_of("PARIS ") == point_of("Paris, FR") == point_of("paris, france")
    assert texas == point_of("Paris, US")
    assert texas is not None
    assert texas == pytest.approx((33.66, -95.55), abs=0.05)
    assert point_of("London, CA") == pytest.approx((42.98, -81.23), abs=0.1)
    assert point_of("Los Angeles, CA") == point_of("Los Angeles")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("München", "Munich"),
        ("Zürich", "zurich"),
        ("Wien", "Vienna"),
        ("Napoli", "Naples"),
        ("Köln", "Cologne"),
    ],
)
def test_cities_are_known_by_their_names_in_other_languages(name: str, other: str) -> None:
    assert point_of(name) is not None
    assert point_of(name) == point_of(other)


@pytest.mark.parametrize(
    "place", ["", ",", "Nowhereville", "Paris, XX", "91,0", "0,181", "1e5,0", "x" * 2_000]
)
def test_an_unknown_place_has_no_distance_and_is_no_failure(place: str) -> None:
    assert kilometres(place, "Lyon") is None


def test_each_of_several_places_has_its_distance() -> None:
    rows = call("distance", "location", "Lyon", ..., location=["Lyon", "Paris", "Nowhereville"])
    assert rows is not None
    assert [float(km) for (km,) in rows] == [0, pytest.approx(392, rel=0.01)]


def test_a_constant_that_is_no_place_is_told_with_what_was_probably_meant() -> None:
    check = plugins.operators()["distance"].check_constant
    assert check is not None
    assert check("place", "Lyon") is None
    said = "There is no city 'Marseile' in our table. Did you mean 'Marseille'?"
    assert check("place", "Marseile") == (said, "Marseille")
    assert cities().nearest_to("qqqqqq") is None


def test_money_is_converted_by_the_rates_and_rounded_to_cents() -> None:
    assert call("money", "price", "currency", "EUR", ..., price=107.76, currency="USD") == ((100.0,),)
    assert call("money", "price", "currency", "usd", ..., price=100, currency="€") == ((107.76,),)
    assert call("money", "price", "currency", "GBP", ..., price=10, currency="$") == ((7.93,),)
    assert call("money", "price", "EUR", "EUR", ..., price=[1, 2.5]) == ((1.0,), (2.5,))


@pytest.mark.parametrize(
    ("price", "currency"),
    [(1, "XYZ"), (1, ""), (1e300, "USD"), (-1e300, "EUR"), (1e13, "EUR"), (1, "x" * 2_000)],
)
def test_what_has_no_rate_or_is_too_large_has_no_amount(price: float, currency: str) -> None:
    assert call("money", "price", "currency", "EUR", ..., price=price, currency=currency) == ()


def test_a_currency_without_a_rate_is_told_with_those_that_have_one() -> None:
    check = plugins.operators()["money"].check_constant
    assert check is not None
    assert check("to", "EUR") is None
    told = check("to", "XYZ")
    assert told is not None
    assert all(code in told for code in PER_EURO)


def test_however_many_values_an_event_has_no_operator_fails_by_them() -> None:
    many = {
        "location": [f"{number / 100}, 1" for number in range(1_000)],
        "price": list(range(1_000)),
        "currency": sorted(PER_EURO),
        "title": [f"clock {number}" for number in range(1_000)],
        "image": [f"{number:016x}" for number in range(1_000)],
    }
    for name, *places in (
        ("distance", "location", "location"),
        ("money", "price", "currency", "currency"),
        ("similar", "title", "title"),
        ("looks_like", "image", "image"),
    ):
        assert call(name, *places, ..., **many), name


def score(title: object, text: str) -> list[float]:
    rows = call("similar", "title", text, ..., title=title)
    assert rows is not None
    return [float(value) for (value,) in rows]


def test_similar_texts_score_high_and_others_low() -> None:
    wanted = "omega seamaster"
    assert score("OMEGA Seamaster", wanted) == score("Seamaster, Omega!", "seamaster omega") == [100.0]
    assert score("Vintage Omega Seamaster De Ville, 1968", wanted)[0] >= 85
    assert score("omga seamastr 1968", wanted)[0] >= 75
    assert score("Oak dining table", wanted)[0] <= 50
    assert score("!!!", wanted) == [0.0]
    assert len(score(["a clock", "an omega"], wanted)) == 2


def picture(seed: int, size: tuple[int, int] = (160, 120)) -> PIL.Image.Image:
    """Some shapes, the same for the same seed at any size."""
    shapes = random.Random(seed)
    image = PIL.Image.new("RGB", (640, 480), "white")
    draw = PIL.ImageDraw.Draw(image)
    for _ in range(12):
        x, y, radius = shapes.randrange(640), shapes.randrange(480), shapes.randrange(20, 160)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=tuple(shapes.randbytes(3)))
    return image.resize(size)


def encoded(image: PIL.Image.Image, kind: str, **options: int) -> bytes:
    body = io.BytesIO()
    image.save(body, kind, **options)
    return body.getvalue()


def bits(image: object, wanted: int) -> list[float]:
    rows = call("looks_like", "image", f"{wanted:016x}", ..., image=image)
    assert rows is not None
    return [float(value) for (value,) in rows]


def test_a_picture_looks_like_itself_in_another_size_and_quality_but_not_like_another() -> None:
    same = hash_of_picture(encoded(picture(1, (640, 480)), "PNG"))
    assert same is not None
    small = base64.b64encode(encoded(picture(1), "JPEG", quality=60)).decode()
    other = base64.b64encode(encoded(picture(2), "WEBP")).decode()
    (near,) = bits(f"data:image/jpeg;base64,{small}", same)
    (far,) = bits(other, same)
    assert near <= 10 < 20 <= far


def test_hashes_themselves_are_compared_bit_by_bit() -> None:
    assert bits("00000000000000ff", 0xFF) == [0]
    assert bits(["00000000000000fe", "ffffffffffffffff", "no hash"], 0xFF) == [1, 56]


@pytest.mark.parametrize(
    "image",
    [
        *("", "0" * 15, "data:image/png;base64,", "data:image/png;base64,!!!!", "https://pictures.example/1.png"),
        base64.b64encode(encoded(picture(1), "JPEG")[:300]).decode(),
        base64.b64encode(encoded(picture(1), "BMP")[:9_000]).decode(),
        base64.b64encode(encoded(PIL.Image.new("1", (3_000, 3_000)), "PNG")).decode(),
    ],
)  # fmt: skip
def test_what_is_no_picture_or_too_large_a_one_has_no_hash(image: str) -> None:
    assert hash_of(image) is None


def test_a_constant_that_is_no_hash_is_told() -> None:
    check = plugins.operators()["looks_like"].check_constant
    assert check is not None
    assert check("hash", "00000000000000ff") is None
    assert check("hash", "ff") == "'ff' is not a hash: it has 16 digits from 0 to f."
