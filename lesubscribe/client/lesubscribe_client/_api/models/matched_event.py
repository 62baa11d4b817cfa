from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.matched_event_attributes import MatchedEventAttributes


T = TypeVar("T", bound="MatchedEvent")


@_attrs_define
class MatchedEvent:
    """
    Attributes:
        id (int):
        external_id (str):
        url (str):
        title (str):
        image_url (str):
        ends_at (datetime.datetime | None):
        attributes (MatchedEventAttributes):
    """

    id: int
    external_id: str
    url: str
    title: str
    image_url: str
    ends_at: datetime.datetime | None
    attributes: MatchedEventAttributes
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        external_id = self.external_id

        url = self.url

        title = self.title

        image_url = self.image_url

        ends_at: None | str
        if isinstance(self.ends_at, datetime.datetime):
            ends_at = self.ends_at.isoformat()
        else:
            ends_at = self.ends_at

        attributes = self.attributes.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "external_id": external_id,
                "url": url,
                "title": title,
                "image_url": image_url,
                "ends_at": ends_at,
                "attributes": attributes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.matched_event_attributes import MatchedEventAttributes

        d = dict(src_dict)
        id = d.pop("id")

        external_id = d.pop("external_id")

        url = d.pop("url")

        title = d.pop("title")

        image_url = d.pop("image_url")

        def _parse_ends_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ends_at_type_0 = datetime.datetime.fromisoformat(data)

                return ends_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ends_at = _parse_ends_at(d.pop("ends_at"))

        attributes = MatchedEventAttributes.from_dict(d.pop("attributes"))

        matched_event = cls(
            id=id,
            external_id=external_id,
            url=url,
            title=title,
            image_url=image_url,
            ends_at=ends_at,
            attributes=attributes,
        )

        matched_event.additional_properties = d
        return matched_event

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
