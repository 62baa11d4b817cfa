from django.urls import path

from schema_registry import api, operators_api

urlpatterns = [
    path("schema", api.SchemaEndpoint.as_view(), name="api-schema"),
    path("schema/domains", api.DomainsEndpoint.as_view(), name="schema-domains"),
    path("schema/attributes", api.AttributesEndpoint.as_view(), name="schema-attributes"),
    path("schema/event-types", api.EventTypesEndpoint.as_view(), name="schema-event-types"),
    path(
        "schema/event-types/<str:event_type>/attributes",
        api.EventTypeAttributesEndpoint.as_view(),
        name="schema-event-type-attributes",
    ),
    path("schema/views", api.ViewsEndpoint.as_view(), name="schema-views"),
    path("operators", operators_api.OperatorsEndpoint.as_view(), name="api-operators"),
    path("schema/json-schema", api.JsonSchemaEndpoint.as_view(), name="schema-json-schema"),
]
