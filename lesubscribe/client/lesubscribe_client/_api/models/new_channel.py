from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.new_channel_kind import NewChannelKind, check_new_channel_kind

T = TypeVar("T", bound="NewChannel")


@_attrs_define
class NewChannel:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        kind (NewChannelKind): * `email` - email
            * `webhook` - webhook
            * `chat` - chat
        address (str): An email address, the http(s) address of a webhook, or of a chat or push service its address in
            the notation of apprise, such as `ntfys://ntfy.sh/topic`.
    """

    kind: NewChannelKind
    address: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind: str = self.kind

        address = self.address

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
                "address": address,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = check_new_channel_kind(d.pop("kind"))

        address = d.pop("address")

        new_channel = cls(
            kind=kind,
            address=address,
        )

        new_channel.additional_properties = d
        return new_channel

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
