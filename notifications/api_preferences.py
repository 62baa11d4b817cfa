"""REST for subscribers: when they may be told, and in which language."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matching.api import person, read
from notifications import preferences
from notifications.preferences import LONGEST_ZONE, WEEKDAYS
from schema_registry.accounts.permissions import SubscriberMay
from schema_registry.bodies import Body, Name


# The format `time` of OpenAPI has seconds and an offset from UTC.
@extend_schema_field({"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"})
class TimeOfDay(serializers.TimeField):
    """As people write it: 08:00."""

    def __init__(self, **options: Any) -> None:
        super().__init__(format="%H:%M", input_formats=["%H:%M"], **options)

    def to_internal_value(self, value: Any) -> Any:
        if not isinstance(value, str):
            self.fail("invalid", format="hh:mm")
        return super().to_internal_value(value)


class Weekday(serializers.ChoiceField):
    """By its name; stored as a number, 0 for Monday."""

    def __init__(self, **options: Any) -> None:
        super().__init__(WEEKDAYS, **options)

    def to_internal_value(self, data: Any) -> Any:
        return WEEKDAYS.index(super().to_internal_value(data))

    def to_representation(self, value: Any) -> str:
        return WEEKDAYS[value]


# Told as a string: of an enumeration with null the client's generator makes three classes.
@extend_schema_field({"type": "string", "pattern": f"^({'|'.join(dict(settings.LANGUAGES))})$"})
class Language(serializers.ChoiceField):
    """One that we speak."""

    def __init__(self, **options: Any) -> None:
        super().__init__(list(dict(settings.LANGUAGES)), **options)


class PreferencesDocument(Body):
    time_zone = Name(required=False, max_length=LONGEST_ZONE, help_text="An IANA name such as Europe/Paris.")
    quiet_from = TimeOfDay(
        required=False,
        allow_null=True,
        help_text="From here to `quiet_until` nothing is sent; it waits. They may go over midnight.",
    )
    quiet_until = TimeOfDay(required=False, allow_null=True)
    digest_at = TimeOfDay(required=False, help_text="When daily and weekly digests are sent.")
    digest_weekday = Weekday(required=False, help_text="On which day weekly digests are sent.")
    language = Language(
        required=False,
        allow_null=True,
        help_text="Of pages and of what is sent. With null, which is what you have before you choose, "
        "messages are in the language of the site.",
    )


class PreferencesEndpoint(APIView):
    permission_classes = (SubscriberMay,)

    @extend_schema(
        responses={200: PreferencesDocument}, summary="When you may be told, and in which language"
    )
    def get(self, request: Request) -> Response:
        return Response(PreferencesDocument(preferences.of(person(request))).data)

    @extend_schema(
        request=PreferencesDocument,
        responses={200: PreferencesDocument},
        summary="Change when you may be told, or in which language",
        description="What is planned already keeps its time.",
    )
    def patch(self, request: Request) -> Response:
        changed = preferences.change(person(request), read(PreferencesDocument, request))
        return Response(PreferencesDocument(changed).data)
