"""What is wrong with scraped rows, each kind with its share. All draws come from the caller's `Random`."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from random import Random

MISCODED_WORD = "café"
_BAD_PRICES = ("call us", "-", "n/a", "USD", "1,2,3", "5 ??", "12.50 QQQ")
_ADORNMENTS = ("&amp;", "&#124;", "&quot;rare&quot;", "L&#64;&#64;K", "&nbsp;", "  ", "***", "&lt;!&gt;")
_UNKNOWN = ("Misc", "Other > Stuff", "c99999", "?", "Everything Else")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dirt:
    """The share of rows with each kind of dirt, and of rows that are an earlier one once more.

    `duplicates` repeat a line exactly, `changes` an item with another price, `relists` under a new id too.
    """

    broken_lines: float = 0.005
    miscoded: float = 0.005
    duplicates: float = 0.02
    changes: float = 0.01
    relists: float = 0.02
    missing_ids: float = 0.003
    unknown_categories: float = 0.01
    bad_prices: float = 0.004
    missing_fields: float = 0.005
    shouting: float = 0.1
    adorned_titles: float = 0.15
    odd_dates: float = 0.002

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 <= getattr(self, field.name) <= 1:
                raise ValueError(f"{field.name} is a share.")
        if self.duplicates + self.changes + self.relists > 1:
            raise ValueError("duplicates, changes and relists are at most all rows.")


CLEAN = Dirt(**{field.name: 0.0 for field in fields(Dirt)})


def price(random: Random, amount: float) -> str:
    """The amount as one site or the other writes it."""
    english = f"{amount:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    forms = (
        f"US ${english}",
        f"${english}",
        f"{german} EUR",
        f"€{english}",
        f"£{english}",
        english,
        f"{german} €",
    )
    return random.choice(forms)


def spoil(random: Random, dirt: Dirt, row: dict[str, str]) -> None:
    """Dirt inside of fields, each kind by its share."""
    if random.random() < dirt.shouting:
        row["headline"] = row["headline"].upper()
    if random.random() < dirt.adorned_titles:
        words = row["headline"].split(" ")
        words.insert(random.randrange(len(words) + 1), random.choice(_ADORNMENTS))
        row["headline"] = " ".join(words)
    if random.random() < dirt.miscoded:
        row["headline"] += (
            f" {MISCODED_WORD if random.random() < 0.7 else MISCODED_WORD.replace('é', chr(0xFFFD))}"
        )
    if random.random() < dirt.missing_ids:
        row["id"] = random.choice(("", "  "))
    if random.random() < dirt.unknown_categories:
        row["category"] = html.escape(random.choice(_UNKNOWN))
    if random.random() < dirt.bad_prices:
        row["price"] = random.choice(_BAD_PRICES)
    if random.random() < dirt.missing_fields:
        row[random.choice(("seller", "place", "state", "headline", "period"))] = ""
    if random.random() < dirt.odd_dates:
        row["ends"] = random.choice(("soon", "31.02.2026", "2026-13-01", "Feb-30-26 10:00:00"))


def json_line(row: dict[str, str]) -> str:
    """Blank fields are left out or null, as scrapers do it."""
    return json.dumps({name: value for name, value in row.items() if value}, ensure_ascii=False)


def csv_line(values: Sequence[str]) -> str:
    return ",".join(
        f'"{value.replace(chr(34), chr(34) * 2)}"' if "," in value or '"' in value else value
        for value in values
    )


def encoded(line: str) -> bytes:
    """UTF-8, except that the miscoded word is as a site in Latin-1 writes it."""
    return line.encode().replace(MISCODED_WORD.encode(), MISCODED_WORD.encode("latin-1"))


def broken(random: Random, line: bytes) -> bytes:
    """The line cut, or with a piece of another inside."""
    place = random.randrange(1, max(2, len(line) - 1))
    return line[:place] if random.random() < 0.7 else line[:place] + b'{"' + line[:place]
