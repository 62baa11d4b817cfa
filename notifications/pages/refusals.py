"""Refusals of the services in the words of the pages, where several pages say the same."""

from django.conf import settings
from django.utils.translation import gettext as _

from schema_registry.core.numbers import grouped


def no_room() -> str:
    """Of TooManySubscriptions: whether one is too many or a whole file."""
    most = grouped(settings.MOST_SUBSCRIPTIONS_PER_OWNER)
    return _("You may have %(most)s searches; this would be too many. Delete some first.") % {"most": most}
