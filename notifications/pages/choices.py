"""How often a search may tell and how long it may be valid, in the words of all pages."""

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from matching.models import Subscription
from matching.validity import MOST_VALID_DAYS
from notifications.core.policy import Frequency

HOW_OFTEN = {
    Frequency.AT_ONCE: _("at once"),
    Frequency.HOURLY: _("once an hour at most"),
    Frequency.DAILY: _("once a day at most"),
    Frequency.WEEKLY: _("once a week at most"),
}
# By days.
VALIDITIES = {30: _("30 days"), 90: _("3 months"), 365: _("a year"), MOST_VALID_DAYS: _("ten years")}


def usual_validity(search: Subscription) -> int:
    """What it was valid for at first, as near as the choices come; the longest for one that never ends."""
    if search.expires_at is None:
        return max(VALIDITIES)
    validity = search.expires_at - search.created_at
    return min(VALIDITIES, key=lambda days: abs(validity - timedelta(days=days)))
