"""Refusals of the services in the words of the pages, where several pages say the same."""

from django.conf import settings
from django.utils.translation import gettext as _


def no_room() -> str:
    """Of TooManySubscriptions: whether one is too many or a whole file."""
    most = f"{settings.MOST_SUBSCRIPTIONS_PER_OWNER:,}"
    return _("You may have %(most)s searches; this would be too many. Delete some first.") % {"most": most}
