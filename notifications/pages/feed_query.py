"""What a reader of the feed asked for, as it stands in the address."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, QueryDict

from matching.feed_items import Wanted
from matching.row_numbers import row_number
from matching.selectors import subscriptions_of
from schema_registry.accounts.models import User

LONGEST_TEXT = 100
MOST_WORDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedQuery:
    """The filters. As a string it is the query of an address; empty when there are none."""

    search: int | None = None
    site: int | None = None
    unseen: bool = False
    text: str = ""

    @classmethod
    def read(cls, parameters: QueryDict) -> "FeedQuery":
        """What makes no sense is as if it were not there."""
        return cls(
            search=row_number(parameters.get("search")),
            site=row_number(parameters.get("site")),
            unseen=parameters.get("unseen") == "1",
            text=" ".join(parameters.get("text", "").replace("\0", " ").split())[:LONGEST_TEXT],
        )

    def __str__(self) -> str:
        return urlencode(self._given())

    def __bool__(self) -> bool:
        return bool(self._given())

    def address(self, **more: Any) -> str:
        """The query with these beside the filters."""
        return urlencode({**self._given(), **more})

    def check(self, owner: User) -> None:
        """Raises Http404 for a search that is not the owner's."""
        if self.search is not None and not subscriptions_of(owner).filter(pk=self.search).exists():
            raise Http404

    @property
    def wanted(self) -> Wanted:
        words = tuple(self.text.casefold().split()[:MOST_WORDS])
        return Wanted(search=self.search, publisher=self.site, unseen=self.unseen, words=words)

    def _given(self) -> dict[str, Any]:
        given = {"search": self.search, "site": self.site, "unseen": int(self.unseen), "text": self.text}
        return {name: value for name, value in given.items() if value}
