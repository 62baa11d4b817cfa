from django import template

from notifications import selectors

register = template.Library()


@register.simple_tag
def sending_is_halted() -> bool:
    return selectors.is_sending_halted()
