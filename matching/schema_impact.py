"""Which subscriptions a change of the schema touches, told to staff before they make it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.dispatch import receiver
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matching.models import Subscription
from matching.stored import attributes_read_by_operators, predicates_of
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.numbers import grouped
from schema_registry.models import SchemaVersion
from schema_registry.signals import ProposedChange, schema_impact
from schema_registry.staff.wording import listed

MOST_LOOKED_AT = 5_000  # reading so many takes a tenth of a second
MOST_NAMED = 5
LONGEST_TEXT = 40
# A value that is new cannot be one that somebody has named.
NAMES_VALUES = frozenset({"=", "in", "contains", "exists"})
Touches = Callable[[str, str, list[Any], bool], bool]
Candidate = tuple[str, str, int, list[Any]]  # name, canonical text, owner, conjunctions


@dataclass(frozen=True, slots=True)
class Touched:
    """`is_all` is false when there are more than were looked at."""

    names: tuple[str, ...]
    owners: int
    is_all: bool


@receiver(schema_impact, dispatch_uid="subscriptions that a change of the schema touches")
def impact_on_subscriptions(change: ProposedChange, **named: Any) -> list[str]:
    names = change.attributes or change.event_types
    if not names:
        return []
    candidates = _candidates(names)
    if change.rule == SchemaVersion.Rule.ADD_VALUES:
        asking = _touched(candidates, lambda attribute, *_rest: attribute in change.attributes)
        return [_asking(asking), *_reaching(_touched(candidates, _reaches_new_values(change)))]
    return [_asking(_touched(candidates, _asks_for(change)))]


def _asks_for(change: ProposedChange) -> Touches:
    values = {value for group in change.values.values() for value in group}

    def touches(attribute: str, operator: str, constants: list[Any], negated: bool) -> bool:
        if change.attributes:
            return attribute in change.attributes and (not values or not values.isdisjoint(constants))
        return attribute == EVENT_TYPE and not set(change.event_types).isdisjoint(constants)

    return touches


def _reaches_new_values(change: ProposedChange) -> Touches:
    def touches(attribute: str, operator: str, constants: list[Any], negated: bool) -> bool:
        return attribute in change.attributes and (negated or operator not in NAMES_VALUES)

    return touches


def _touched(candidates: Sequence[Candidate], touches: Touches) -> Touched:
    called: list[str] = []
    owners: set[int] = set()
    for name, canonical, owner, compiled in candidates:
        if any(touches(*predicate) for conjunction in compiled for predicate in _predicates(conjunction)):
            called.append(name or _shortened(canonical))
            owners.add(owner)
    return Touched(tuple(called), len(owners), len(candidates) < MOST_LOOKED_AT)


def _predicates(conjunction: Any) -> Iterator[tuple[str, str, list[Any], bool]]:
    """Its plain ones; and for each attribute that an operator reads one that asks whether it is given."""
    yield from predicates_of(conjunction)
    for attribute in attributes_read_by_operators(conjunction):
        yield attribute, "exists", [], False


def _shortened(text: str) -> str:
    """For thousands of texts Django's Truncator would take longer than all the rest."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def _candidates(names: Sequence[str]) -> list[Candidate]:
    """Those whose text has one of the names, which most texts have not; the newest come first.

    O(subscriptions): every text is looked through, backwards by key until `MOST_LOOKED_AT` are found, and of
    those the compiled form is read. Staff ask for it, before a change that they make a few times a day.
    """
    has_a_name = Q()
    for each in names:
        has_a_name |= Q(canonical__contains=each)
    there = Subscription.objects.exclude(state=Subscription.State.REMOVED).filter(has_a_name)
    rows = there.order_by("-pk").values_list("name", "canonical", "owner_id", "compiled")
    return list(rows[:MOST_LOOKED_AT])


def _asking(found: Touched) -> str:
    count = len(found.names)
    if not count:
        return _("No search asks for it.")
    sentence = ngettext(
        "%(count)s search of %(people)s asks for it: %(names)s.",
        "%(count)s searches of %(people)s ask for it: %(names)s.",
        count,
    )
    return sentence % _facts(found)


def _reaching(found: Touched) -> list[str]:
    """Those which may find items with the new values."""
    count = len(found.names)
    if not count:
        return []
    sentence = ngettext(
        "%(count)s of them takes in more than it names, so it may find items with new values: %(names)s.",
        "%(count)s of them take in more than they name, so they may find items with new values: %(names)s.",
        count,
    )
    return [sentence % _facts(found)]


def _facts(found: Touched) -> dict[str, str]:
    people = ngettext("%(count)d person", "%(count)d people", found.owners) % {"count": found.owners}
    count = grouped(len(found.names))
    return {
        "count": count if found.is_all else _("At least %(count)s") % {"count": count},
        "people": people,
        "names": listed((f"“{name}”" for name in found.names), most=MOST_NAMED),
    }
