"""The forms of the page on how to be told."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from notifications.addresses import LONGEST_WEBHOOK
from notifications.chat.services import Field, Service
from notifications.core.policy import Hours
from notifications.models import Channel, Preferences
from notifications.preferences import LONGEST_ZONE, InvalidPreferences, check_zone

MOST_PER_DAY = 100_000


class NewChannelForm(forms.Form):
    kind = forms.ChoiceField(
        label=gettext_lazy("How"),
        choices=[(kind.value, kind.label) for kind in (Channel.Kind.EMAIL, Channel.Kind.WEBHOOK)],
        initial=Channel.Kind.EMAIL,
    )
    address = forms.CharField(label=gettext_lazy("Address"), max_length=LONGEST_WEBHOOK)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "new-channel-%s", **options})
        self.fields["address"].widget.attrs |= {"autocomplete": "off", "spellcheck": "false"}


class ChatForm(forms.Form):
    """What a service needs to know."""

    def __init__(self, service: Service, data: Any = None) -> None:
        super().__init__(data, auto_id="chat-%s")
        for each in service.fields:
            self.fields[each.name] = forms.CharField(
                label=each.label,
                help_text=_with_example(each),
                initial=each.initial,
                required=each.is_needed,
                max_length=500,
                widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
            )


def _with_example(field: Field) -> str:
    """What helps to fill it in; of our own words only, since help is put on the page as it is."""
    example = _("For example: %(example)s") % {"example": field.example} if field.example else ""
    return f"{field.help} {example}".strip()


class SpanForm(forms.Form):
    """Moments of the reader's clock."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "span-%s", **options})
        names = {"from": gettext_lazy("From"), "until": gettext_lazy("Until")}
        for name, label in names.items():
            widget = forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
            self.fields[name] = forms.DateTimeField(label=label, widget=widget)

    @classmethod
    def usual(cls, *, now: datetime) -> "SpanForm":
        """The last day."""
        return cls(initial={"from": now - timedelta(days=1), "until": now})


class ChannelForm(forms.Form):
    wants = forms.ChoiceField(label=gettext_lazy("What it gets"), choices=Channel.Wants.choices)
    most_per_day = forms.IntegerField(
        label=gettext_lazy("Most messages a day"),
        required=False,
        min_value=1,
        max_value=MOST_PER_DAY,
        help_text=gettext_lazy("What comes after that waits for a digest. Empty for no limit of your own."),
    )

    @classmethod
    def of(cls, channel: Channel, data: Any = None) -> "ChannelForm":
        """Bound to what was sent, or showing the channel as it is."""
        given = {"wants": channel.wants, "most_per_day": channel.most_per_day}
        return cls(data, initial=given, auto_id=f"channel-{channel.pk}-%s")


class HoursForm(forms.Form):
    time_zone = forms.CharField(label=gettext_lazy("Time zone"), max_length=LONGEST_ZONE)
    quiet_from = forms.TimeField(label=gettext_lazy("Quiet from"), required=False)
    quiet_until = forms.TimeField(label=gettext_lazy("Quiet until"), required=False)
    digest_at = forms.TimeField(label=gettext_lazy("Digests at"))
    digest_weekday = forms.TypedChoiceField(
        label=gettext_lazy("Weekly ones on"), choices=list(WEEKDAYS.items()), coerce=int
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "hours-%s", **options})
        zone = {"list": "time-zones", "autocomplete": "off", "spellcheck": "false"}
        self.fields["time_zone"].widget.attrs |= zone
        for name in ("quiet_from", "quiet_until", "digest_at"):
            self.fields[name].widget = forms.TimeInput({"type": "time"}, format="%H:%M")

    @classmethod
    def of(cls, chosen: Preferences) -> "HoursForm":
        return cls(initial={name: getattr(chosen, name) for name in cls.base_fields})

    def clean_time_zone(self) -> str:
        name: str = self.cleaned_data["time_zone"]
        try:
            check_zone(name)
        except InvalidPreferences as refused:
            raise forms.ValidationError(str(refused)) from None
        return name

    def clean(self) -> dict[str, Any]:
        fields = self.cleaned_data
        ends = [name for name in ("quiet_from", "quiet_until") if name in fields]
        missing = [name for name in ends if fields[name] is None]
        if len(ends) == 2 and len(missing) == 1:
            self.add_error(missing[0], _("Quiet hours need both ends. Leave both empty to have none."))
        return fields

    def hours(self) -> Hours:
        """Of a valid form."""
        fields = self.cleaned_data
        return Hours(
            zone=ZoneInfo(fields["time_zone"]),
            quiet_from=fields["quiet_from"],
            quiet_until=fields["quiet_until"],
            digest_at=fields["digest_at"],
            digest_weekday=fields["digest_weekday"],
        )
