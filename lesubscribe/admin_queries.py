"""What may be asked of lists of the administration, and filled into its forms, by their addresses.

Django takes any field of a row. Whoever may see a list could so find out, letter by letter, what it does not
show: the keys of sessions, the secrets of webhooks. And what does not fit a form's field fails on its page.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.admin import ModelAdmin
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Field
from django.db.models.constants import LOOKUP_SEP
from django.http import HttpRequest

Allowed = Callable[[ModelAdmin, str, Any, HttpRequest], bool]
Initial = Callable[[ModelAdmin, HttpRequest], dict[str, Any]]


def only_by_filters(allowed: Allowed) -> Allowed:
    """By those that the list offers, by its date, by a row's number, and by rows that it belongs to."""

    @wraps(allowed)
    def is_allowed(page: ModelAdmin, lookup: str, value: Any, request: HttpRequest) -> bool:
        name = lookup.partition(LOOKUP_SEP)[0]
        field = _field(page, name)
        is_open = field is None or field.is_relation or field.primary_key or name in _offered(page, request)
        return is_open and allowed(page, lookup, value, request)

    return is_allowed


def only_what_fits(initial: Initial) -> Initial:
    """The rest is passed over, as is what the form has no field for."""

    @wraps(initial)
    def fitting(page: ModelAdmin, request: HttpRequest) -> dict[str, Any]:
        return {name: value for name, value in initial(page, request).items() if _fits(page, name, value)}

    return fitting


def _offered(page: ModelAdmin, request: HttpRequest) -> set[str | None]:
    """By fields, or by names that filters of our own understand."""
    offered = {page.date_hierarchy}
    for each in page.get_list_filter(request):
        named = each[0] if isinstance(each, list | tuple) else each
        name = named if isinstance(named, str) else getattr(named, "parameter_name", "")
        offered.add(name.partition(LOOKUP_SEP)[0])
    return offered


def _fits(page: ModelAdmin, name: str, value: Any) -> bool:
    field = _field(page, name)
    if field is None:
        return True
    target = field.target_field if field.is_relation else field  # type: ignore[attr-defined]  # relations have one
    try:
        for each in value if isinstance(value, list) else [value]:
            target.run_validators(target.to_python(each))
    except (ValidationError, ValueError, OSError):  # a field of others looks for time zones on the disk
        return False
    return True


def _field(page: ModelAdmin, name: str) -> Field | None:
    """None if the row has none of this name, or it is another's."""
    try:
        found = page.opts.get_field(name)
    except FieldDoesNotExist:
        return None
    return found if isinstance(found, Field) else None
