"""What publishers and subscribers share: the connection, and the schema, which anybody may read."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, Self, TypeVar

import httpx

from lesubscribe_client._api.api.schema import schema_retrieve
from lesubscribe_client._api.client import AuthenticatedClient
from lesubscribe_client._api.models import SchemaRetrieveResponse200
from lesubscribe_client._api.types import UNSET, Unset
from lesubscribe_client.connection import TIMEOUT, PatientClient
from lesubscribe_client.errors import ClientError

PATIENCE = 60.0
Answer = TypeVar("Answer")
Cursor = str | Unset


class Page(Protocol):
    next_: str | None


APage = TypeVar("APage", bound=Page)


class Caller:
    """`base_url` is the site's, as https://auctions.example; `patience` is how many seconds it asks again.

    Threads may share one. Close it, or use it in a `with` statement.
    """

    def __init__(self, base_url: str, key: str, *, patience: float = PATIENCE) -> None:
        site = base_url.rstrip("/").removesuffix("/api/v1")
        if not site.startswith(("http://", "https://")):
            raise ValueError(f"The address of a site begins with http:// or https://; this is {base_url!r}.")
        self._http = PatientClient(
            base_url=site, headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT, patience=patience
        )
        self._api = AuthenticatedClient(base_url=site, token=key).set_httpx_client(self._http)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def schema(self) -> dict[str, Any]:
        """The vocabulary of all sites: domains, attributes, event types and its version."""
        return expect(SchemaRetrieveResponse200, schema_retrieve.sync(client=self._api)).to_dict()


def expect(kind: type[Answer], answer: object) -> Answer:
    """The answer, which can be of other kinds by the document; refusals were raised before."""
    if not isinstance(answer, kind):
        raise ClientError(f"The answer is no {kind.__name__}. Is this client older than the server?")
    return answer


def pages(fetch: Callable[[Cursor], APage]) -> Iterator[APage]:
    """One page after another, each fetched when it is needed."""
    cursor: Cursor = UNSET
    while True:
        page = fetch(cursor)
        yield page
        if page.next_ is None:
            return
        cursor = httpx.URL(page.next_).params["cursor"]
