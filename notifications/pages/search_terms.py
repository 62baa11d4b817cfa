"""The form for what a search is called, how it tells and how long it is valid."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from matching.models import Subscription
from matching.validity import MOST_VALID_DAYS
from notifications import selectors
from notifications.core.policy import Frequency, Revisions
from notifications.models import Channel
from notifications.pages import choices
from notifications.saving import Settings
from notifications.terms import ALL

ENDLESS, AS_IT_IS = "endless", "keep"
REVISIONS = {
    Revisions.ONCE: _("no, once is enough"),
    Revisions.PRICE_DROP: _("when its price drops"),
    Revisions.ALWAYS: _("whenever it changes"),
}
VALIDITIES = {  # one can end a search at any time, so instead of the longest there is none
    **{str(days): words for days, words in choices.VALIDITIES.items() if days != MOST_VALID_DAYS},
    ENDLESS: _("until I end it"),
}


class TermsForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=200, required=False, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    frequency = forms.ChoiceField(label=_("How often"), choices=list(choices.HOW_OFTEN.items()))
    revisions = forms.ChoiceField(
        label=_("Tell me again of an item that has changed"), choices=list(REVISIONS.items())
    )
    channels = forms.MultipleChoiceField(
        label=_("Where"), required=False, widget=forms.CheckboxSelectMultiple
    )
    valid = forms.ChoiceField(label=_("Valid for"), choices=list(VALIDITIES.items()))
    existing = forms.BooleanField(
        label=_("Put what was found in the last 30 days into my feed"), required=False
    )

    def __init__(
        self, *args: Any, channels: Sequence[Channel], is_new: bool, is_over: bool, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.is_new = is_new
        where = [(ALL, _("Every channel, also those I add later"))]
        self.fields["channels"].choices = [  # type: ignore[attr-defined]
            *where,
            *((str(channel.pk), str(channel)) for channel in channels),
        ]
        if not is_new:
            del self.fields["existing"]
            now = [] if is_over else [(AS_IT_IS, _("as long as it is now"))]
            self.fields["valid"].choices = [*now, *VALIDITIES.items()]  # type: ignore[attr-defined]

    @property
    def settings(self) -> Settings:
        """Of a valid form, as they are saved."""
        fields = self.cleaned_data
        valid, channels = fields["valid"], fields["channels"]
        return Settings(
            name=fields["name"],
            frequency=Frequency(fields["frequency"]),
            revisions=Revisions(fields["revisions"]),
            channels=ALL if ALL in channels else [int(channel) for channel in channels],
            valid_days=None if valid in (ENDLESS, AS_IT_IS) else int(valid),
            is_renewed=valid != AS_IT_IS,
        )


def beginning(search: Subscription | None, *, is_over: bool, name: str = "") -> dict[str, Any]:
    """What the form shows at first."""
    if search is None:
        return {
            "name": name,
            "frequency": Frequency.AT_ONCE,
            "revisions": Revisions.ONCE,
            "channels": [ALL],
            "valid": "30",
        }
    now = selectors.terms_of(search)
    chosen = selectors.chosen_channels(now)
    return {
        "name": search.name,
        "frequency": now.frequency,
        "revisions": now.revisions,
        "channels": [ALL] if chosen == ALL else [str(channel) for channel in chosen],
        "valid": "30" if is_over else AS_IT_IS,
    }
