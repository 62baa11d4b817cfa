"""The world of the demo: three auction houses, and the schema that each of them brings a part of.

All houses and sellers are invented; towns, styles and materials are not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lesubscribe.demo.trees import CATEGORIES, PLACES, tree


@dataclass(frozen=True, slots=True)
class House:
    """An auction house; of all items it has this share, in these event types and towns."""

    name: str
    address: str
    share: int
    event_types: tuple[str, ...]
    towns: tuple[str, ...]
    sellers: tuple[str, ...]


BELLEROCHE = House(
    "Maison Belleroche",
    "https://belleroche.example",
    45,
    ("furniture", "art", "books", "ceramics", "silver", "jewellery"),
    ("paris", "versailles", "lyon", "grenoble", "annecy", "marseille", "avignon", "rouen", "caen"),
    (
        "Brocante du Pont",
        "Galerie du Passage",
        "Atelier des Tilleuls",
        "Le Grenier Bleu",
        "Librairie du Quai",
    ),
)
QUAI_NOORD = House(
    "Quai Noord",
    "https://quainoord.example",
    30,
    ("timepieces", "instruments", "ceramics", "art", "furniture", "books"),
    ("antwerp", "ghent", "bruges", "liege", "namur", "brussels", "amsterdam", "delft", "leiden"),
    ("Het Oude Uurwerk", "De Blauwe Vogel", "Kunsthandel Kaai 9", "Le Pendule", "Antiquariaat De Ster"),
)
LINDENHOF = House(
    "Lindenhof Auktionen",
    "https://lindenhof-auktionen.example",
    25,
    ("coins", "wine", "silver", "furniture", "jewellery"),
    ("munich", "nuremberg", "augsburg", "dresden", "leipzig", "cologne", "bonn", "vienna", "salzburg"),
    ("Antiquitäten am Markt", "Münzkabinett Süd", "Weinkeller am Ring", "Stube und Diele"),
)
HOUSES = (BELLEROCHE, QUAI_NOORD, LINDENHOF)


@dataclass(frozen=True, slots=True)
class Period:
    """A period with its first and last year, and the styles that a catalogue names it by."""

    value: str
    label: str
    first: int
    last: int
    styles: tuple[str, ...]


PERIODS = (
    Period("antiquity", "Antiquity", -700, 476, ("Ancient",)),
    Period("medieval", "Middle Ages", 1200, 1489, ("Gothic",)),
    Period("renaissance", "Renaissance", 1490, 1609, ("Renaissance",)),
    Period("baroque", "Baroque", 1610, 1719, ("Baroque", "Louis XIV")),
    Period("rococo", "Rococo", 1720, 1764, ("Rococo", "Louis XV")),
    Period("neoclassical", "Neoclassical", 1765, 1799, ("Louis XVI", "Gustavian", "Directoire")),
    Period("empire", "Empire", 1800, 1819, ("Empire",)),
    Period("regency", "Regency", 1800, 1836, ("Regency",)),
    Period("biedermeier", "Biedermeier", 1815, 1859, ("Biedermeier",)),
    Period("victorian", "Victorian", 1837, 1894, ("Victorian", "Napoleon III")),
    Period("art-nouveau", "Art nouveau", 1890, 1914, ("Art nouveau", "Jugendstil")),
    Period("art-deco", "Art deco", 1915, 1939, ("Art deco",)),
    Period("mid-century", "Mid-century", 1940, 1972, ("Danish modern", "Mid-century")),
    Period("contemporary", "Contemporary", 1973, 2100, ("Contemporary",)),
)
# Empire and Regency, Biedermeier and Victorian were at the same time in different countries.
PERIOD_ORDER = (
    *(("antiquity", "medieval"), ("medieval", "renaissance"), ("renaissance", "baroque")),
    *(("baroque", "rococo"), ("rococo", "neoclassical")),
    *(("neoclassical", "empire"), ("neoclassical", "regency")),
    *(("empire", "biedermeier"), ("regency", "victorian")),
    *(("biedermeier", "art-nouveau"), ("victorian", "art-nouveau")),
    *(("art-nouveau", "art-deco"), ("art-deco", "mid-century"), ("mid-century", "contemporary")),
)

# How often each occurs, out of 100. A restored piece is neither better nor worse than a worn or a good one.
CONDITIONS = {"damaged": 8, "worn": 22, "restored": 10, "good": 40, "excellent": 15, "mint": 5}
CONDITION_ORDER = (
    *(("damaged", "worn"), ("worn", "good"), ("good", "excellent"), ("excellent", "mint")),
    *(("damaged", "restored"), ("restored", "excellent")),
)

MATERIALS = (
    *("amethyst", "bamboo", "beech", "brass", "bronze", "canvas", "cherry", "copper", "crystal", "diamond"),
    *("ebony", "emerald", "enamel", "faience", "garnet", "gilding", "glass", "gold", "grenadilla", "iron"),
    *("leather", "mahogany", "maple", "marble", "oak", "oil", "paper", "pearl", "pewter"),
    *("pine", "porcelain", "rosewood", "ruby", "sapphire", "silk", "silver", "spruce", "steel", "stoneware"),
    *("teak", "vellum", "velvet", "walnut", "watercolour", "wool"),
)
LANGUAGES = ("dutch", "english", "french", "german", "italian", "latin")
MOVEMENTS = ("automatic", "manual", "quartz")


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a house adds to the schema; `extensions` are event types with optional attributes for them."""

    house: House
    why: str
    domains: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    event_types: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    extensions: tuple[tuple[str, str], ...] = ()


ONE, PERHAPS, SEVERAL = ["mandatory", "unique"], ["optional", "unique"], ["optional", "multiple"]
ANY_ITEM = {
    "price": ONE,
    "category": ONE,
    "title": ONE,
    "condition": PERHAPS,
    "location": PERHAPS,
    "seller": PERHAPS,
    "year": PERHAPS,
    "period": PERHAPS,
    "material": SEVERAL,
    "estimate": SEVERAL,
}

CONTRIBUTIONS = (
    Contribution(
        BELLEROCHE,
        "Demo: what every auction house tells of its items.",
        domains={
            "money": {"kind": "numeric", "min": 0, "unit": "EUR"},
            "words": {"kind": "text"},
            "name": {"kind": "string"},
            "calendar year": {"kind": "numeric", "min": -3000, "max": 2100},
            "length": {"kind": "numeric", "min": 0, "unit": "cm"},
            "category": tree(CATEGORIES),
            "place": tree(PLACES),
            "period": {
                "kind": "enumerated",
                "values": [period.value for period in PERIODS],
                "labels": {period.value: period.label for period in PERIODS},
                "order": PERIOD_ORDER,
            },
            "condition": {"kind": "enumerated", "values": list(CONDITIONS), "order": CONDITION_ORDER},
            "material": {"kind": "enumerated", "values": MATERIALS},
            "language": {"kind": "enumerated", "values": LANGUAGES},
        },
        attributes={
            "price": "money",
            "estimate": "money",
            "category": "category",
            "title": "words",
            "seller": "name",
            "year": "calendar year",
            "period": "period",
            "condition": "condition",
            "location": "place",
            "material": "material",
            "height": "length",
            "width": "length",
            "language": "language",
        },
        event_types={
            "antiques": {"period": ONE},
            "furniture": {**ANY_ITEM, "height": PERHAPS, "width": PERHAPS},
            "art": {**ANY_ITEM, "height": PERHAPS, "width": PERHAPS},
            "books": {**ANY_ITEM, "language": SEVERAL},
            "ceramics": ANY_ITEM,
            "silver": ANY_ITEM,
            "jewellery": ANY_ITEM,
        },
    ),
    Contribution(
        QUAI_NOORD,
        "Demo: watches, clocks and instruments.",
        domains={"movement": {"kind": "enumerated", "values": MOVEMENTS}},
        attributes={"movement": "movement"},
        event_types={"timepieces": {**ANY_ITEM, "movement": PERHAPS}, "instruments": ANY_ITEM},
    ),
    Contribution(
        LINDENHOF,
        "Demo: coins and wine; silver and jewellery with their weight.",
        domains={
            "weight": {"kind": "numeric", "min": 0, "unit": "g"},
            "count": {"kind": "numeric", "min": 1},
        },
        attributes={"weight": "weight", "bottles": "count"},
        event_types={"coins": {**ANY_ITEM, "weight": PERHAPS}, "wine": {**ANY_ITEM, "bottles": ONE}},
        extensions=(("silver", "weight"), ("jewellery", "weight")),
    ),
)
