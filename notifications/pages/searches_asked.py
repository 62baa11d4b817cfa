"""Which searches of a person a page shows, and in which order: what the query string asks for.

Nothing in it is refused: what makes no sense is as good as not said, so an old bookmark shows a page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from django.http import QueryDict

from matching.row_numbers import row_number
from notifications.search_lists import STATES, Sort, State, Wanted

LONGEST_WORDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Wanted):
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        state, sort = query.get("state", ""), query.get("sort", "")
        return cls(
            state=State(state) if state in STATES else None,
            words=query.get("q", "").replace("\0", "").strip()[:LONGEST_WORDS],
            sort=Sort(sort) if sort in set(Sort) else Sort.NEWEST,
            page=row_number(query.get("page")) or 1,
        )

    @classmethod
    def read_back(cls, text: str) -> Self:
        """From `query_string`, as a form brings it back."""
        return cls.read(QueryDict(text[:2_000]))

    def but(self, **changes: Any) -> Self:
        return replace(self, **changes)

    @property
    def query_string(self) -> str:
        """Only what differs from the plain list."""
        said = {
            "state": self.state or "",
            "q": self.words,
            "sort": "" if self.sort is Sort.NEWEST else self.sort,
            "page": "" if self.page == 1 else str(self.page),
        }
        return urlencode({name: value for name, value in said.items() if value})

    @property
    def is_filtered(self) -> bool:
        return bool(self.state or self.words)
