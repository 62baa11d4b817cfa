"""Lists of tables with millions of rows: whatever is asked, the newest few thousand of it are shown.

The stock list counts all rows, and looks for a page among rows read in full. Here only keys are read, once,
newest first and no more than can be shown, and then the rows of one page. A filter that an index answers
takes milliseconds; one that must look at every row takes one pass over them.
"""

from functools import cached_property
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

from schema_registry.accounts.models import User
from schema_registry.staff.saving import ReadOnlyAdmin

MOST_LISTED = 10_000
MOST_OWNERS = 500


class KeyPaginator(Paginator):
    """Counts no further than `MOST_LISTED`."""

    @cached_property
    def keys(self) -> list[int]:
        """One more than is listed, if there are more."""
        rows: Any = self.object_list
        return list(rows.values_list("pk", flat=True)[: MOST_LISTED + 1])

    @cached_property
    def count(self) -> int:
        return min(len(self.keys), MOST_LISTED)

    @property
    def is_cut(self) -> bool:
        return len(self.keys) > MOST_LISTED


class LongList(ChangeList):
    """Reads the rows of a page by their keys, whatever filter found them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)  # the rows it found are not read: it is a lazy query
        paginator: Any = self.paginator
        keys = paginator.keys[: paginator.count]
        if self.multi_page and not (self.show_all and self.can_show_all):
            first = (self.page_num - 1) * self.list_per_page
            keys = keys[first : first + self.list_per_page]
        found = self.apply_select_related(self.root_queryset).in_bulk(keys)
        rows: Any = [found[key] for key in keys if key in found]
        self.result_list = rows
        if not (self.query or self.filter_params):
            self.full_result_count = self.result_count  # so that nothing offers to show all


class LongListAdmin(ReadOnlyAdmin):
    """Rows to look at, newest first, however many there are."""

    ordering = ("-pk",)
    sortable_by = ()
    paginator = KeyPaginator
    list_per_page = 50  # to draw a row is most of what a page costs
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    change_list_template = "admin/matching/long_list.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return LongList


def of_owners(rows: QuerySet[Any], address: str) -> QuerySet[Any]:
    """Those of the owners whose address begins so.

    Few owners are looked up first: asked for both at once, the database goes through all the rows.
    """
    owners = User.objects.filter(email__istartswith=address.strip()).values_list("pk", flat=True)
    few = list(owners[: MOST_OWNERS + 1])
    return rows.filter(owner__in=few if len(few) <= MOST_OWNERS else owners)
