"""Times on pages: relative, as people say them, with the exact one in the title."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from notifications.core.wording import exact_moment, time_left

register = template.Library()
JUST_NOW = timedelta(minutes=1)


@register.simple_tag
def moment(at: datetime, *, now: datetime | None = None) -> SafeString:
    """{% moment item.accepted_at %}: "3 h ago", or "in 3 h" for what is to come."""
    now = now or timezone.now()
    if abs(at - now) < JUST_NOW:
        words = _("just now")
    elif at < now:
        words = _("%(span)s ago") % {"span": time_left(now, now=at)}
    else:
        words = _("in %(span)s") % {"span": time_left(at, now=now)}
    exact = exact_moment(at, timezone.get_current_timezone())
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), exact, words)
