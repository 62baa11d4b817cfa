"""Extending the schema by its four rules, and named views of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lesubscribe_client._api.api.schema import (
    schema_attributes_create,
    schema_domains_create,
    schema_event_types_create,
    schema_event_types_extend,
    schema_json_schema_retrieve,
    schema_views_create,
    schema_views_list,
)
from lesubscribe_client._api.models import (
    AttributeRequest,
    DomainRequest,
    DomainRequestDefinition,
    EventTypeRequest,
    EventTypeRequestAttributes,
    ExtensionRequest,
    SchemaJsonSchemaRetrieveResponse200,
    VersionAnswer,
)
from lesubscribe_client._api.types import UNSET
from lesubscribe_client.caller import Caller, expect
from lesubscribe_client.documents import NewDomain, View


class Vocabulary(Caller):
    """Needs a key with the scope `schema`. Whatever adds a name answers with the new version."""

    def create_domain(self, name: str, definition: Mapping[str, Any], *, why: str = "") -> NewDomain:
        """A kind of values. `equivalent_to` of the answer are older ones that mean the same."""
        body = DomainRequest(name=name, definition=DomainRequestDefinition.from_dict(definition), why=why)
        return expect(NewDomain, schema_domains_create.sync(client=self._api, body=body))

    def create_attribute(self, name: str, domain: str, *, why: str = "") -> int:
        body = AttributeRequest(name=name, domain=domain, why=why)
        return expect(VersionAnswer, schema_attributes_create.sync(client=self._api, body=body)).version

    def create_event_type(self, name: str, attributes: Mapping[str, Sequence[str]], *, why: str = "") -> int:
        """Each attribute with "mandatory" or "optional", and "unique" or "multiple"."""
        marks = EventTypeRequestAttributes.from_dict({each: list(pair) for each, pair in attributes.items()})
        body = EventTypeRequest(name=name, attributes=marks, why=why)
        return expect(VersionAnswer, schema_event_types_create.sync(client=self._api, body=body)).version

    def extend_event_type(
        self, event_type: str, attribute: str, *, multiple: bool = False, why: str = ""
    ) -> int:
        """The attribute is optional there."""
        body = ExtensionRequest(attribute=attribute, multiple=multiple, why=why)
        answer = schema_event_types_extend.sync(event_type, client=self._api, body=body)
        return expect(VersionAnswer, answer).version

    def views(self) -> list[View]:
        answer = schema_views_list.sync(client=self._api)
        return [expect(View, each) for each in expect(list, answer)]

    def create_view(self, name: str, event_types: Iterable[str], attributes: Iterable[str]) -> View:
        body = View(name=name, event_types=list(event_types), attributes=list(attributes))
        return expect(View, schema_views_create.sync(client=self._api, body=body))

    def json_schema(
        self, *, event_types: Iterable[str] = (), attributes: Iterable[str] = (), view: str | None = None
    ) -> dict[str, Any]:
        """What events of these types, or of one of your views, are like, so that you can check them."""
        answer = schema_json_schema_retrieve.sync(
            client=self._api,
            event_type=list(event_types),
            attribute=list(attributes),
            view=UNSET if view is None else view,
        )
        return expect(SchemaJsonSchemaRetrieveResponse200, answer).to_dict()
