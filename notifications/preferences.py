"""When a person may be told, and in which language: their zone, quiet hours, and the time of digests."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django.db import transaction

from notifications.models import Preferences
from schema_registry.accounts import languages
from schema_registry.accounts.models import User
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import did_you_mean, shown

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LONGEST_ZONE = 64


class InvalidPreferences(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "invalid_preferences"

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.faults = {field: sentence}


def of(owner: User) -> Preferences:
    """Those of a person; whoever chose nothing has the usual ones, which are not stored."""
    row = Preferences.objects.filter(owner=owner).first() or Preferences()
    row.owner = owner
    return row


def change(owner: User, fields: Mapping[str, Any]) -> Preferences:
    """The fields of the model by name, and `language`: one that we speak, or None.

    What is planned already stays so. Raises InvalidPreferences.
    """
    fields = dict(fields)
    language = fields.pop("language", owner.language)
    if "time_zone" in fields:
        check_zone(fields["time_zone"])
    with transaction.atomic():
        Preferences.objects.get_or_create(owner=owner)
        row = Preferences.objects.select_for_update().get(owner=owner)
        for name, value in fields.items():
            setattr(row, name, value)
        if (row.quiet_from is None) != (row.quiet_until is None):
            missing = "quiet_from" if row.quiet_from is None else "quiet_until"
            raise InvalidPreferences(missing, _("Quiet hours need both ends; null for both means none."))
        row.save()
        languages.choose(owner, language or "")
    row.owner = owner
    return row


@cache
def time_zones() -> frozenset[str]:
    return frozenset(available_timezones())


def check_zone(name: str) -> None:
    """Raises InvalidPreferences."""
    if name not in time_zones():
        sentence = _("{name} is not a time zone such as Europe/Paris.", name=shown(name))
        raise InvalidPreferences("time_zone", sentence + did_you_mean(_meant(name)))


def _meant(name: str) -> str | None:
    """The zone with the most similar name; people also give the city alone."""
    if len(name) > LONGEST_ZONE:
        return None
    zones = sorted(time_zones())
    known = {zone.rpartition("/")[2].casefold(): zone for zone in zones}
    known |= {zone.casefold(): zone for zone in zones}
    found = get_close_matches(name.strip().replace(" ", "_").casefold(), known, n=1)
    return known[found[0]] if found else None
