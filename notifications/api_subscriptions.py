"""REST for subscribers: subscriptions with the terms on which they tell of their matches."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import serializers

from matching import api
from matching.models import Subscription
from matching.row_numbers import LARGEST_NUMBER
from notifications import selectors, terms
from notifications.core.policy import Frequency, Revisions
from notifications.terms import ALL, Chosen
from schema_registry.bodies import Body

FREQUENCIES = [each.value for each in Frequency]
REVISIONS = [each.value for each in Revisions]
_TERMS = ("frequency", "revisions", "channels")
_CHANNELS_SCHEMA = {
    "oneOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string", "enum": [ALL]}],
    "description": 'The ids of channels, or "all", which includes those you add later. None: feed only.',
}


@extend_schema_field(_CHANNELS_SCHEMA)
class ChosenChannels(serializers.Field):
    default_error_messages = {  # noqa: RUF012 - the framework reads it as it is
        "invalid": gettext_lazy('This must be a list of ids, or "all".'),
        "too_many": gettext_lazy("These are more than you have."),
    }

    def to_internal_value(self, data: Any) -> Chosen:
        if data == ALL:
            return ALL
        if not isinstance(data, list) or not all(map(_is_id, data)):
            self.fail("invalid")
        if len(data) > terms.MOST_CHOSEN:
            self.fail("too_many")
        return sorted(set(data))

    def to_representation(self, value: Chosen) -> Chosen:
        return value


class TermsFields(Body):
    frequency = serializers.ChoiceField(FREQUENCIES, required=False)
    revisions = serializers.ChoiceField(
        REVISIONS, required=False, help_text="Whether you are told again of an item that has changed."
    )
    channels = ChosenChannels(required=False)


class NewSubscription(TermsFields, api.NewSubscription):
    pass


class ChangedSubscription(TermsFields, api.ChangedSubscription):
    pass


class SubscriptionDocument(api.SubscriptionDocument):
    frequency = serializers.SerializerMethodField()
    revisions = serializers.SerializerMethodField()
    channels = serializers.SerializerMethodField()

    class Meta(api.SubscriptionDocument.Meta):
        fields = (*api.SubscriptionDocument.Meta.fields, *_TERMS)
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(FREQUENCIES))
    def get_frequency(self, row: Subscription) -> str:
        return selectors.terms_of(row).frequency

    @extend_schema_field(serializers.ChoiceField(REVISIONS))
    def get_revisions(self, row: Subscription) -> str:
        return selectors.terms_of(row).revisions

    @extend_schema_field(_CHANNELS_SCHEMA)
    def get_channels(self, row: Subscription) -> Chosen:
        return selectors.chosen_channels(selectors.terms_of(row))


class SubscriptionPage(api.SubscriptionPage):
    """For the documentation."""

    results = SubscriptionDocument(many=True)


class ChangedDocument(SubscriptionDocument):
    """For the documentation."""

    warnings = serializers.ListField(child=serializers.CharField(), help_text="About the new text.")

    class Meta(SubscriptionDocument.Meta):
        fields = (*SubscriptionDocument.Meta.fields, "warnings")


class WithTerms(api.SubscriptionView):
    new_body = NewSubscription
    change_body = ChangedSubscription

    def arguments(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Terms are written in the transaction that stores the subscription."""
        chosen = {name: fields.pop(name) for name in _TERMS if name in fields}
        return {**fields, "also": partial(terms.choose, **chosen)}

    def shown(self, rows: Sequence[Subscription]) -> list[dict[str, Any]]:
        prefetch_related_objects(rows, "terms__channels")
        return [*SubscriptionDocument(rows, many=True).data]


@extend_schema_view(
    get=extend_schema(responses={200: SubscriptionPage}),
    post=extend_schema(request=NewSubscription),
)
class SubscriptionsEndpoint(WithTerms, api.SubscriptionsEndpoint):
    pass


@extend_schema_view(
    get=extend_schema(responses={200: SubscriptionDocument}),
    patch=extend_schema(request=ChangedSubscription, responses={200: ChangedDocument}),
)
class SubscriptionEndpoint(WithTerms, api.SubscriptionEndpoint):
    pass


@extend_schema_view(post=extend_schema(responses={200: SubscriptionDocument}))
class RenewEndpoint(WithTerms, api.RenewEndpoint):
    pass


def _is_id(raw: object) -> bool:
    return isinstance(raw, int) and not isinstance(raw, bool) and 0 < raw <= LARGEST_NUMBER
