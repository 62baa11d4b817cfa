"""Filters of admin lists."""

import re
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

_OFFERED = 30
_IS_KEY = re.compile(r"[0-9]{1,18}")


class RelatedRowFilter(admin.SimpleListFilter):
    """By a row that others refer to: the chosen one, or the first few, since there may be thousands."""

    def related(self) -> QuerySet[Any]:
        """The rows to choose from, in order."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = self.related()
        chosen = request.GET.get(str(self.parameter_name), "")
        if _IS_KEY.fullmatch(chosen):
            rows = rows.filter(pk=chosen)
        return [(str(row.pk), str(row)) for row in rows[:_OFFERED]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value() or ""
        return (
            queryset.filter(**{str(self.parameter_name): chosen}) if _IS_KEY.fullmatch(chosen) else queryset
        )
