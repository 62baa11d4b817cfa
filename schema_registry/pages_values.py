"""Values of one domain as parts of a page: what is below a value, or what somebody's typing may mean."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from schema_registry import selectors
from schema_registry.core.definitions import EVENT_TYPE, stored_name
from schema_registry.core.domains import FiniteDomain
from schema_registry.core.schema import Schema
from schema_registry.pages_caching import for_everybody
from schema_registry.value_index import (
    NamedValue,
    deprecated_values,
    domain_named,
    index_of,
    named_values,
)

MOST_HITS = 50
MOST_CHILDREN = 200


@dataclass(frozen=True, slots=True)
class Level:
    """Some of the values right below one (`of`; the roots if None), from the one numbered `start` on."""

    domain: str
    of: str | None
    values: list[NamedValue]
    start: int
    left: int

    @property
    def next_query(self) -> str:
        """What the address of the next ones ends with."""
        below = {} if self.of is None else {"of": self.of}
        return urlencode({**below, "from": self.start + len(self.values)})


@for_everybody
def values(request: HttpRequest, name: str) -> HttpResponse:
    """`?of=` what is below a value, the roots without; `?q=` hits; with `?pick=1` as buttons that choose."""
    schema = selectors.current_schema()
    name, domain = finite_domain(schema, name)
    pick = "pick" in request.GET
    shown = {"domain": name, "pick": pick, "address": reverse("schema-values", args=[name])}
    if (typed := request.GET.get("q")) is not None:
        found = hits(schema, name, typed, pick=pick)
        part = "options" if pick else "hits"
        more = len(found) == MOST_HITS
        context = {**shown, "values": found, "more": more, "typed": typed, "most": MOST_HITS, "is_part": True}
        return render(request, f"schema_registry/parts/{part}.html", context)
    level = level_below(schema, name, domain, request.GET.get("of"), start=start_of(request))
    return render(request, "schema_registry/parts/level.html", {**shown, "level": level})


def finite_domain(schema: Schema, name: str) -> tuple[str, FiniteDomain]:
    """The domain and its name as it is kept; 404 for one without a list of values."""
    stored = name if name == EVENT_TYPE else stored_name(name, schema.domains)
    domain = None if stored is None else domain_named(schema, stored)
    if stored is None or not isinstance(domain, FiniteDomain):
        raise Http404
    return stored, domain


def hits(schema: Schema, domain: str, typed: str, *, pick: bool) -> list[NamedValue]:
    """Nobody is offered deprecated values to choose; who looks around sees them marked."""
    found = domain_named(schema, domain)
    assert isinstance(found, FiniteDomain)
    without: Iterable[str] = deprecated_values(schema, domain) if pick else ()
    return named_values(
        schema, domain, index_of(found).hits(typed, most=MOST_HITS, without=frozenset(without))
    )


def level_below(schema: Schema, name: str, domain: FiniteDomain, of: str | None, *, start: int) -> Level:
    """One screenful of children; 404 for what is no value of the domain."""
    if of is not None:
        of = stored_name(of, domain.identifiers())
        if of is None:
            raise Http404
    children = index_of(domain).children(of)
    page = children[start : start + MOST_CHILDREN]
    left = max(0, len(children) - start - len(page))
    return Level(name, of, named_values(schema, name, page), start, left)


def start_of(request: HttpRequest) -> int:
    """The number that `?from=` gives; what is no number is the beginning."""
    raw = request.GET.get("from", "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else 0
