"""What the tree picker needs of what it is given."""

from collections.abc import Iterable

from django import template

from schema_registry.value_index import NamedValue

register = template.Library()


@register.filter
def as_named(values: Iterable[NamedValue | str] | None) -> list[NamedValue]:
    """Plain identifiers are shown as they are."""
    return [NamedValue(each, each) if isinstance(each, str) else each for each in values or ()]
