"""Looking things up by name in the templates of the schema browser."""

from collections.abc import Container, Mapping

from django import template

register = template.Library()


@register.filter
def since_version(versions: Mapping[str, int] | None, name: str) -> int | None:
    return (versions or {}).get(name)


@register.filter
def is_in(name: str, names: Container[str]) -> bool:
    """Whether a name of an old version is still there; one that was merged away is not."""
    return name in names
