"""Contains all the data models used in inputs/outputs"""

from .accepted import Accepted
from .argument_document import ArgumentDocument
from .argument_document_type import ArgumentDocumentType
from .asked_span import AskedSpan
from .attempt_document import AttemptDocument
from .attribute_request import AttributeRequest
from .batch_answer import BatchAnswer
from .changed_document import ChangedDocument
from .changed_document_channels_type_1 import ChangedDocumentChannelsType1
from .changed_document_frequency import ChangedDocumentFrequency
from .changed_document_revisions import ChangedDocumentRevisions
from .changed_document_state import ChangedDocumentState
from .channel_document import ChannelDocument
from .channel_document_kind import ChannelDocumentKind
from .channel_document_state import ChannelDocumentState
from .channel_document_wants import ChannelDocumentWants
from .channel_list import ChannelList
from .channel_with_secret import ChannelWithSecret
from .channel_with_secret_kind import ChannelWithSecretKind
from .channel_with_secret_state import ChannelWithSecretState
from .channel_with_secret_wants import ChannelWithSecretWants
from .created import Created
from .day_count import DayCount
from .deliveries_list_state import DeliveriesListState
from .delivery_document import DeliveryDocument
from .delivery_document_kind import DeliveryDocumentKind
from .delivery_document_state import DeliveryDocumentState
from .delivery_page import DeliveryPage
from .delivery_with_log import DeliveryWithLog
from .delivery_with_log_kind import DeliveryWithLogKind
from .delivery_with_log_state import DeliveryWithLogState
from .domain_answer import DomainAnswer
from .domain_request import DomainRequest
from .domain_request_definition import DomainRequestDefinition
from .dry_run import DryRun
from .dry_run_would_be import DryRunWouldBe
from .envelope_body import EnvelopeBody
from .envelope_body_event import EnvelopeBodyEvent
from .event_document import EventDocument
from .event_document_state import EventDocumentState
from .event_list import EventList
from .event_type_request import EventTypeRequest
from .event_type_request_attributes import EventTypeRequestAttributes
from .extension_request import ExtensionRequest
from .feed_document import FeedDocument
from .foreseen import Foreseen
from .import_answer import ImportAnswer
from .imported_subscription import ImportedSubscription
from .line_result import LineResult
from .line_result_errors_item import LineResultErrorsItem
from .match_document import MatchDocument
from .match_page import MatchPage
from .matched_event import MatchedEvent
from .matched_event_attributes import MatchedEventAttributes
from .new_channel import NewChannel
from .new_channel_kind import NewChannelKind
from .new_subscription import NewSubscription
from .new_subscription_channels_type_1 import NewSubscriptionChannelsType1
from .new_subscription_frequency import NewSubscriptionFrequency
from .new_subscription_revisions import NewSubscriptionRevisions
from .operator_document import OperatorDocument
from .patched_changed_channel import PatchedChangedChannel
from .patched_changed_channel_state import PatchedChangedChannelState
from .patched_changed_channel_wants import PatchedChangedChannelWants
from .patched_changed_subscription import PatchedChangedSubscription
from .patched_changed_subscription_channels_type_1 import (
    PatchedChangedSubscriptionChannelsType1,
)
from .patched_changed_subscription_frequency import PatchedChangedSubscriptionFrequency
from .patched_changed_subscription_revisions import PatchedChangedSubscriptionRevisions
from .patched_changed_subscription_state import PatchedChangedSubscriptionState
from .patched_preferences_document import PatchedPreferencesDocument
from .patched_preferences_document_digest_weekday import (
    PatchedPreferencesDocumentDigestWeekday,
)
from .planned import Planned
from .portable_document import PortableDocument
from .portable_document_format import PortableDocumentFormat
from .portable_document_version import PortableDocumentVersion
from .portable_subscription import PortableSubscription
from .portable_subscription_frequency import PortableSubscriptionFrequency
from .portable_subscription_revisions import PortableSubscriptionRevisions
from .portable_subscription_state import PortableSubscriptionState
from .preferences_document import PreferencesDocument
from .preferences_document_digest_weekday import PreferencesDocumentDigestWeekday
from .preview_body import PreviewBody
from .preview_document import PreviewDocument
from .problem import Problem
from .problem_errors_item import ProblemErrorsItem
from .reason import Reason
from .renewal import Renewal
from .replay_document import ReplayDocument
from .replay_document_state import ReplayDocumentState
from .sample_document import SampleDocument
from .schema_json_schema_retrieve_response_200 import (
    SchemaJsonSchemaRetrieveResponse200,
)
from .schema_retrieve_response_200 import SchemaRetrieveResponse200
from .seen_answer import SeenAnswer
from .seen_body import SeenBody
from .share_document import ShareDocument
from .subscription_document import SubscriptionDocument
from .subscription_document_channels_type_1 import SubscriptionDocumentChannelsType1
from .subscription_document_frequency import SubscriptionDocumentFrequency
from .subscription_document_revisions import SubscriptionDocumentRevisions
from .subscription_document_state import SubscriptionDocumentState
from .subscription_page import SubscriptionPage
from .subscriptions_list_state import SubscriptionsListState
from .version_answer import VersionAnswer
from .view_document import ViewDocument

__all__ = (
    "Accepted",
    "ArgumentDocument",
    "ArgumentDocumentType",
    "AskedSpan",
    "AttemptDocument",
    "AttributeRequest",
    "BatchAnswer",
    "ChangedDocument",
    "ChangedDocumentChannelsType1",
    "ChangedDocumentFrequency",
    "ChangedDocumentRevisions",
    "ChangedDocumentState",
    "ChannelDocument",
    "ChannelDocumentKind",
    "ChannelDocumentState",
    "ChannelDocumentWants",
    "ChannelList",
    "ChannelWithSecret",
    "ChannelWithSecretKind",
    "ChannelWithSecretState",
    "ChannelWithSecretWants",
    "Created",
    "DayCount",
    "DeliveriesListState",
    "DeliveryDocument",
    "DeliveryDocumentKind",
    "DeliveryDocumentState",
    "DeliveryPage",
    "DeliveryWithLog",
    "DeliveryWithLogKind",
    "DeliveryWithLogState",
    "DomainAnswer",
    "DomainRequest",
    "DomainRequestDefinition",
    "DryRun",
    "DryRunWouldBe",
    "EnvelopeBody",
    "EnvelopeBodyEvent",
    "EventDocument",
    "EventDocumentState",
    "EventList",
    "EventTypeRequest",
    "EventTypeRequestAttributes",
    "ExtensionRequest",
    "FeedDocument",
    "Foreseen",
    "ImportAnswer",
    "ImportedSubscription",
    "LineResult",
    "LineResultErrorsItem",
    "MatchDocument",
    "MatchedEvent",
    "MatchedEventAttributes",
    "MatchPage",
    "NewChannel",
    "NewChannelKind",
    "NewSubscription",
    "NewSubscriptionChannelsType1",
    "NewSubscriptionFrequency",
    "NewSubscriptionRevisions",
    "OperatorDocument",
    "PatchedChangedChannel",
    "PatchedChangedChannelState",
    "PatchedChangedChannelWants",
    "PatchedChangedSubscription",
    "PatchedChangedSubscriptionChannelsType1",
    "PatchedChangedSubscriptionFrequency",
    "PatchedChangedSubscriptionRevisions",
    "PatchedChangedSubscriptionState",
    "PatchedPreferencesDocument",
    "PatchedPreferencesDocumentDigestWeekday",
    "Planned",
    "PortableDocument",
    "PortableDocumentFormat",
    "PortableDocumentVersion",
    "PortableSubscription",
    "PortableSubscriptionFrequency",
    "PortableSubscriptionRevisions",
    "PortableSubscriptionState",
    "PreferencesDocument",
    "PreferencesDocumentDigestWeekday",
    "PreviewBody",
    "PreviewDocument",
    "Problem",
    "ProblemErrorsItem",
    "Reason",
    "Renewal",
    "ReplayDocument",
    "ReplayDocumentState",
    "SampleDocument",
    "SchemaJsonSchemaRetrieveResponse200",
    "SchemaRetrieveResponse200",
    "SeenAnswer",
    "SeenBody",
    "ShareDocument",
    "SubscriptionDocument",
    "SubscriptionDocumentChannelsType1",
    "SubscriptionDocumentFrequency",
    "SubscriptionDocumentRevisions",
    "SubscriptionDocumentState",
    "SubscriptionPage",
    "SubscriptionsListState",
    "VersionAnswer",
    "ViewDocument",
)
