"""Whether mails leave this machine: who waits for one should know."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def mails_leave() -> bool:
    leave: bool = settings.SENDS_MAIL
    return leave
