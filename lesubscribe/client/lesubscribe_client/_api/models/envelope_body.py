from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.envelope_body_event import EnvelopeBodyEvent


T = TypeVar("T", bound="EnvelopeBody")


@_attrs_define
class EnvelopeBody:
    """For the documentation; `envelopes` reads it.

    Attributes:
        external_id (str):
        event (EnvelopeBodyEvent):
        revision (int | Unset):
        view (str | Unset):
        title (str | Unset):
        url (str | Unset):
        image_url (str | Unset):
        ends_at (datetime.datetime | Unset):
    """

    external_id: str
    event: EnvelopeBodyEvent
    revision: int | Unset = UNSET
    view: str | Unset = UNSET
    title: str | Unset = UNSET
    url: str | Unset = UNSET
    image_url: str | Unset = UNSET
    ends_at: datetime.datetime | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        external_id = self.external_id

        event = self.event.to_dict()

        revision = self.revision

        view = self.view

        title = self.title

        url = self.url

        image_url = self.image_url

        ends_at: str | Unset = UNSET
        if not isinstance(self.ends_at, Unset):
            ends_at = self.ends_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "external_id": external_id,
                "event": event,
            }
        )
        if revision is not UNSET:
            field_dict["revision"] = revision
        if view is not UNSET:
            field_dict["view"] = view
        if title is not UNSET:
            field_dict["title"] = title
        if url is not UNSET:
            field_dict["url"] = url
        if image_url is not UNSET:
            field_dict["image_url"] = image_url
        if ends_at is not UNSET:
            field_dict["ends_at"] = ends_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.envelope_body_event import EnvelopeBodyEvent

        d = dict(src_dict)
        external_id = d.pop("external_id")

        event = EnvelopeBodyEvent.from_dict(d.pop("event"))

        revision = d.pop("revision", UNSET)

        view = d.pop("view", UNSET)

        title = d.pop("title", UNSET)

        url = d.pop("url", UNSET)

        image_url = d.pop("image_url", UNSET)

        _ends_at = d.pop("ends_at", UNSET)
        ends_at: datetime.datetime | Unset
        if isinstance(_ends_at, Unset):
            ends_at = UNSET
        else:
            ends_at = datetime.datetime.fromisoformat(_ends_at)

        envelope_body = cls(
            external_id=external_id,
            event=event,
            revision=revision,
            view=view,
            title=title,
            url=url,
            image_url=image_url,
            ends_at=ends_at,
        )

        envelope_body.additional_properties = d
        return envelope_body

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
