"""How our pages draw the control of a form field."""

from django import template
from django.forms import BoundField
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def control(field: BoundField) -> SafeString:
    """The bare control. Its label is always visible, so a placeholder would only repeat it.

    The first that has a mistake gets the focus, so that nobody has to look for it on a long page.
    A password can be shown: `parts/field.html` keeps `shown` in Alpine, and the type follows it.
    """
    attrs: dict[str, str | bool] = {"placeholder": False}
    if field.name == next(iter(field.form.errors), None):
        attrs["autofocus"] = True
    if field.widget_type == "password":
        attrs["x-bind:type"] = "shown ? 'text' : 'password'"
    return field.as_widget(attrs=attrs)
