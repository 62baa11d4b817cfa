"""The schema browser, open to all: what can be asked, and each event type, attribute and domain."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from schema_registry import browsing, domain_wording, history, order_chains, pages_values, selectors
from schema_registry.core.definitions import EVENT_TYPE, stored_name
from schema_registry.core.domains import Domain, EnumeratedDomain, FiniteDomain, HierarchicalDomain
from schema_registry.core.schema import Schema
from schema_registry.examples import attribute_example, event_type_example
from schema_registry.pages_caching import in_the_frame
from schema_registry.value_index import domain_named, named_values

TYPES_ON_A_PAGE = 20
ATTRIBUTES_ON_A_PAGE = 40
NAMES_ON_A_PAGE = 100
MOST_CHAINS = 40
MOST_IN_A_CHAIN = 60


@in_the_frame
def index(request: HttpRequest) -> HttpResponse:
    """`?q=` what somebody types; htmx takes only what was found."""
    schema = selectors.current_schema()
    typed = request.GET.get("q", "")[:200].strip()
    context: dict[str, Any] = {"typed": typed, "found": browsing.found(schema, typed) if typed else None}
    if request.headers.get("HX-Target") == "found":
        context["is_part"] = True
        return render(request, "schema_registry/parts/found.html", context)
    types = browsing.offered_first(schema.event_types, schema.deprecated.event_types)
    attributes = [EVENT_TYPE, *browsing.offered_first(schema.attributes, schema.deprecated.attributes)]
    type_page = _page(request, types, TYPES_ON_A_PAGE, "types")
    attribute_page = _page(request, attributes, ATTRIBUTES_ON_A_PAGE, "attributes")
    context |= {
        "section": "schema",
        "schema": schema,
        "type_page": type_page,
        "types": [browsing.type_line(schema, name) for name in type_page],
        "attribute_page": attribute_page,
        "attributes": [browsing.attribute_line(schema, name) for name in attribute_page],
        "attribute_since": _marks(schema, "attributes", attribute_page),
        "type_since": _marks(schema, "event_types", type_page),
    }
    return render(request, "schema_registry/browser/index.html", context)


@in_the_frame
def event_type(request: HttpRequest, name: str) -> HttpResponse:
    schema = selectors.current_schema()
    name = _known(name, schema.event_types)
    marks = schema.event_types[name].attributes
    page = _page(request, browsing.mandatory_first(schema, name), NAMES_ON_A_PAGE)
    context = {
        "section": "schema",
        "name": name,
        "page": page,
        "attributes": [browsing.attribute_line(schema, each, marks[each]) for each in page],
        "since_marks": _marks(schema, "attributes", page),
        "since": history.since_of("event_types", name),
        "example": event_type_example(schema, name),
        "is_deprecated": name in schema.deprecated.event_types,
        "json_schema": f"{reverse('schema-json-schema')}?{urlencode({'event_type': name})}",
    }
    return render(request, "schema_registry/browser/event_type.html", context)


@in_the_frame
def attribute(request: HttpRequest, name: str) -> HttpResponse:
    schema = selectors.current_schema()
    name = _known(name, schema.domain_of)
    page = _page(request, browsing.types_with(schema, name), NAMES_ON_A_PAGE)
    types = [(each, schema.event_types[each].attributes.get(name, (True, True))) for each in page]
    is_deprecated = name in schema.deprecated.attributes
    context = {
        "section": "schema",
        "line": browsing.attribute_line(schema, name),
        "operators": domain_wording.operators_in_words(schema.domain_of[name]),
        "example": None if is_deprecated else attribute_example(schema, name),
        "page": page,
        "types": types,
        "since": None if name == EVENT_TYPE else history.since_of("attributes", name),
        "is_deprecated": is_deprecated,
    }
    return render(request, "schema_registry/browser/attribute.html", context)


@in_the_frame
def domain(request: HttpRequest, name: str) -> HttpResponse:
    """`?of=` one of its values; `?from=` further values of its level; `?q=` values found by their names."""
    schema = selectors.current_schema()
    stored = name if name == EVENT_TYPE else stored_name(name, schema.domains)
    if stored is None:
        kept = history.kept_domain(name)
        if kept is None or kept not in schema.domains:
            raise Http404
        return redirect("schema-domain", kept)
    found = domain_named(schema, stored)
    assert found is not None
    attributes = browsing.attributes_of(schema, stored)
    context = {
        "section": "schema",
        "domain": stored,
        "words": domain_wording.kind_in_words(found),
        "operators": domain_wording.operators_in_words(found),
        "attributes": attributes[:NAMES_ON_A_PAGE],
        "more_attributes": len(attributes[NAMES_ON_A_PAGE:]),
        "since": None if stored == EVENT_TYPE else history.since_of("domains", stored),
        "is_deprecated": stored in schema.deprecated.domains,
        **_values_shown(request, schema, stored, found),
    }
    return render(request, "schema_registry/browser/domain.html", context)


def _values_shown(request: HttpRequest, schema: Schema, name: str, domain: Domain) -> dict[str, Any]:
    if not isinstance(domain, FiniteDomain):
        return {}
    of = request.GET.get("of")
    level = pages_values.level_below(schema, name, domain, of, start=pages_values.start_of(request))
    typed = request.GET.get("q", "")
    context: dict[str, Any] = {
        "level": level,
        "address": reverse("schema-values", args=[name]),
        "typed": typed,
        "values": pages_values.hits(schema, name, typed, pick=False) if typed else [],
        "most": pages_values.MOST_HITS,
        "is_tree": isinstance(domain, HierarchicalDomain),
    }
    context["more"] = len(context["values"]) == pages_values.MOST_HITS
    if level.of is not None:
        above = reversed(domain.above(level.of)) if isinstance(domain, HierarchicalDomain) else ()
        context |= {
            "value": named_values(schema, name, [level.of])[0],
            "above": named_values(schema, name, above),
            "examples": browsing.examples_for(schema, name, level.of),
            "value_since": history.value_since(name, level.of),
        }
    elif isinstance(domain, EnumeratedDomain) and domain.order:
        context |= _order_drawn(domain)
    return context


def _order_drawn(domain: EnumeratedDomain) -> dict[str, Any]:
    lines = order_chains.chains(domain)
    return {
        "chains": [
            ([domain.label(value) for value in line[:MOST_IN_A_CHAIN]], len(line[MOST_IN_A_CHAIN:]))
            for line in lines[:MOST_CHAINS]
        ],
        "more_chains": len(lines[MOST_CHAINS:]),
        "unordered": [domain.label(value) for value in order_chains.unordered(domain)[:MOST_IN_A_CHAIN]],
    }


def _known(name: str, names: Any) -> str:
    stored = stored_name(name, names)
    if stored is None:
        raise Http404(_("There is no such name in the schema."))
    return stored


def _page(request: HttpRequest, names: list[str], most: int, parameter: str = "page") -> Page[str]:
    return Paginator(names, most).get_page(request.GET.get(parameter))


def _marks(schema: Schema, section: history.Section, names: Page[str]) -> dict[str, int]:
    """Since which version those of the names are deprecated that are."""
    deprecated = getattr(schema.deprecated, section)
    return history.deprecated_since(section, [name for name in names if name in deprecated])
