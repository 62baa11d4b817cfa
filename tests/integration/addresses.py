"""Every address that the URL resolver knows."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver


def patterns() -> Iterator[tuple[str, URLPattern]]:
    """Each with its whole route, as it is written, in the order in which they are tried."""
    yield from _walk(get_resolver(), "")


def _walk(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for each in resolver.url_patterns:
        route = prefix + str(each.pattern)
        if isinstance(each, URLPattern):
            yield route, each
        else:
            yield from _walk(each, route)
