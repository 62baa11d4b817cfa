"""The values of a domain as a tree that opens and closes without a script.

One query and one pass, O(values). Shown are at most MOST_SHOWN values, the upper levels first; what is
left out is one link further down.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from schema_registry.models import Domain

MOST_SHOWN = 8_000
MOST_LEVELS = 20  # browsers stop nesting elements at some hundreds


class Node(NamedTuple):
    pk: int
    identifier: str
    label: str
    parent: int | None
    deprecated_since: int | None


@dataclass(frozen=True)
class Tree:
    nodes: Sequence[Node]
    top: Node | None

    @cached_property
    def below(self) -> dict[int | None, list[Node]]:
        found: dict[int | None, list[Node]] = defaultdict(list)
        for node in self.nodes:
            found[node.parent].append(node)
        return found

    @property
    def first_level(self) -> list[Node]:
        return self.below.get(self.top.pk if self.top else None, [])

    @property
    def left_out(self) -> int:
        """How many values of the first level are not shown."""
        return max(0, len(self.first_level) - MOST_SHOWN)

    @property
    def path(self) -> list[Node]:
        """From a root down to the value that the tree starts at."""
        by_key = {node.pk: node for node in self.nodes}
        steps, node = [], self.top
        while node is not None:
            steps.append(node)
            node = by_key.get(node.parent) if node.parent else None
        return steps[::-1]

    def html(self) -> SafeString:
        page = reverse("admin:schema_registry_domainvalue_change", args=[0])
        lines = _lines(self.first_level[:MOST_SHOWN], self.below, self._opened(), page)
        return mark_safe("".join(lines))  # nosec B308, B703  # noqa: S308 - every line comes from format_html

    def _opened(self) -> set[int]:
        """The values whose children are on the page, level by level as long as there is room."""
        opened: set[int] = set()
        shown, level = len(self.first_level), self.first_level
        for _level in range(MOST_LEVELS):
            next_level: list[Node] = []
            for node in level:
                children = self.below.get(node.pk, [])
                if children and shown + len(children) <= MOST_SHOWN:
                    opened.add(node.pk)
                    shown += len(children)
                    next_level += children
            level = next_level
        return opened


def tree_of(domain: Domain, under: str) -> Tree:
    """The tree of all values, or of those below the value with this key."""
    rows = domain.values.values_list("pk", "identifier", "label", "parent_id", "deprecated_since")
    nodes = [Node(*row) for row in rows]
    return Tree(nodes, next((node for node in nodes if str(node.pk) == under), None))


def _lines(
    nodes: Sequence[Node], below: dict[int | None, list[Node]], opened: set[int], page: str
) -> Iterator[str]:
    for node in nodes:
        name, children = _name(node, page), below.get(node.pk, [])
        more = ngettext("%(count)d below", "%(count)d below", len(children)) % {"count": len(children)}
        if node.pk in opened:
            yield format_html("<li>{} <details><summary>{}</summary><ul>", name, more)
            yield from _lines(children, below, opened, page)
            yield "</ul></details></li>"
        elif children:
            yield format_html('<li>{} <a href="?under={}">{}</a></li>', name, node.pk, more)
        else:
            yield format_html("<li>{}</li>", name)


def _name(node: Node, page: str) -> Any:
    url = page.replace("/0/", f"/{node.pk}/")
    mark = format_html(" <em>{}</em>", _("deprecated")) if node.deprecated_since else ""
    if node.label:
        return format_html('<a href="{}">{}</a> <code>{}</code>{}', url, node.label, node.identifier, mark)
    return format_html('<a href="{}">{}</a>{}', url, node.identifier, mark)
