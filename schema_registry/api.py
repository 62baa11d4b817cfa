"""REST for publishers: read the schema, extend it by the four rules, keep named views."""

from typing import Any, ClassVar

from django.http import HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated, NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from schema_registry import rows, selectors, services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.permissions import publisher_may, publisher_of
from schema_registry.bodies import Body, Name, YesOrNo
from schema_registry.core.json_schema import json_schema
from schema_registry.core.schema import check_attribute_count
from schema_registry.core.sentences import gettext as _
from schema_registry.models import EventView

# A hierarchy of 200,000 values with labels fits in these.
LARGEST_DOMAIN = 16_000_000
MOST_ITEMS_OF_A_DOMAIN = 500_000


TAKEN = OpenApiResponse(description="It does not fit what is there already: a name that is taken, for one.")


class Change(Body):
    why = serializers.CharField(required=False, allow_blank=True, default="", max_length=1_000)


class DomainRequest(Change):
    name = Name()
    definition = serializers.DictField()


class AttributeRequest(Change):
    name = Name()
    domain = Name()


class Attributes(serializers.DictField):
    """Their count is looked at before they are."""

    child = serializers.ListField(child=serializers.CharField())

    def to_internal_value(self, data: Any) -> dict[str, list[str]]:
        if isinstance(data, dict):
            check_attribute_count(data)
        attributes: dict[str, list[str]] = super().to_internal_value(data)
        return attributes


class EventTypeRequest(Change):
    name = Name()
    attributes = Attributes()


class ExtensionRequest(Change):
    attribute = Name()
    multiple = YesOrNo(default=False)


class VersionAnswer(serializers.Serializer):
    version = serializers.IntegerField()


class DomainAnswer(VersionAnswer):
    equivalent_to = serializers.ListField(
        child=serializers.CharField(), help_text="Older domains that mean the same; you may want to use one."
    )


class ViewDocument(Body):
    name = Name()
    event_types = serializers.ListField(child=Name(), min_length=1)
    attributes = serializers.ListField(child=Name())


def schema_etag(request: Request) -> str:
    key = selectors.current_version()
    return f'"{key.version}-{key.token}"'


class SchemaEndpoint(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(responses={200: OpenApiTypes.OBJECT, 304: None}, summary="The current schema")
    @method_decorator(condition(etag_func=schema_etag))
    def get(self, request: Request) -> HttpResponse:
        body = selectors.rendered(selectors.current_version())
        return HttpResponse(body, content_type="application/json", headers={"Cache-Control": "no-cache"})


class ExtensionEndpoint(APIView):
    """The answer names the version of the schema that has it."""

    permission_classes = (publisher_may(Scope.SCHEMA),)
    request_class: ClassVar[type[Change]]

    def read(self, request: Request) -> tuple[services.Author, dict[str, Any]]:
        document = self.request_class(data=request.data)
        document.is_valid(raise_exception=True)
        fields = dict(document.validated_data)
        user, publisher = request.user, acting_publisher(request)
        assert isinstance(user, User)
        return services.Author(user, publisher, fields.pop("why")), fields


class DomainsEndpoint(ExtensionEndpoint):
    request_class = DomainRequest
    largest_body = LARGEST_DOMAIN
    most_items = MOST_ITEMS_OF_A_DOMAIN

    @extend_schema(
        request=DomainRequest, responses={201: DomainAnswer, 409: TAKEN}, summary="Create a domain"
    )
    def post(self, request: Request) -> Response:
        by, fields = self.read(request)
        schema, equivalent = services.create_domain(by, **fields)
        return Response({"version": schema.version, "equivalent_to": equivalent}, status=201)


class AttributesEndpoint(ExtensionEndpoint):
    request_class = AttributeRequest

    @extend_schema(
        request=AttributeRequest, responses={201: VersionAnswer, 409: TAKEN}, summary="Create an attribute"
    )
    def post(self, request: Request) -> Response:
        by, fields = self.read(request)
        return Response({"version": services.create_attribute(by, **fields).version}, status=201)


class EventTypesEndpoint(ExtensionEndpoint):
    request_class = EventTypeRequest

    @extend_schema(
        request=EventTypeRequest, responses={201: VersionAnswer, 409: TAKEN}, summary="Create an event type"
    )
    def post(self, request: Request) -> Response:
        by, fields = self.read(request)
        return Response({"version": services.create_event_type(by, **fields).version}, status=201)


class EventTypeAttributesEndpoint(ExtensionEndpoint):
    request_class = ExtensionRequest

    @extend_schema(
        operation_id="schema_event_types_extend",
        request=ExtensionRequest,
        responses={201: VersionAnswer, 409: TAKEN},
        summary="Add an optional attribute to an event type",
    )
    def post(self, request: Request, event_type: str) -> Response:
        event_type = rows.normal(event_type)
        if event_type not in selectors.current_schema().event_types:
            raise NotFound(_("There is no event type {name!r}.", name=event_type))
        by, fields = self.read(request)
        return Response({"version": services.extend_event_type(by, event_type, **fields).version}, status=201)


class ViewsEndpoint(APIView):
    permission_classes = (publisher_may(Scope.SCHEMA),)

    @extend_schema(responses={200: ViewDocument(many=True)}, summary="Your named views")
    def get(self, request: Request) -> Response:
        views = EventView.objects.filter(publisher=acting_publisher(request))
        return Response(ViewDocument(views, many=True).data)

    @extend_schema(
        request=ViewDocument, responses={201: ViewDocument, 409: TAKEN}, summary="Register a named view"
    )
    def post(self, request: Request) -> Response:
        document = ViewDocument(data=request.data)
        document.is_valid(raise_exception=True)
        view = services.create_view(acting_publisher(request), **document.validated_data)
        return Response(ViewDocument(view).data, status=201)


class JsonSchemaEndpoint(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        parameters=[
            OpenApiParameter("event_type", str, many=True, description="May be repeated."),
            OpenApiParameter("attribute", str, many=True, description="Only these; default: all."),
            OpenApiParameter("view", str, description="Instead: the name of one of your views."),
        ],
        responses={200: OpenApiTypes.OBJECT},
        summary="A view as JSON Schema, so that you can validate events on your side",
    )
    def get(self, request: Request) -> Response:
        schema = selectors.current_schema()
        publisher = publisher_of(request)
        if (name := request.query_params.get("view")) is not None:
            if publisher is None:
                raise NotAuthenticated(_("Named views belong to publishers; this needs the key of one."))
            return Response(json_schema(selectors.view_of(publisher, name, schema)))
        attributes = request.query_params.getlist("attribute") or None
        return Response(json_schema(schema.view(request.query_params.getlist("event_type"), attributes)))


def acting_publisher(request: Request) -> Publisher:
    publisher = publisher_of(request)
    assert publisher is not None, "the permission class has seen to it"
    return publisher
