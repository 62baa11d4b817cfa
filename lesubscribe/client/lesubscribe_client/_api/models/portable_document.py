from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.portable_document_format import (
    PortableDocumentFormat,
    check_portable_document_format,
)
from ..models.portable_document_version import (
    PortableDocumentVersion,
    check_portable_document_version,
)

if TYPE_CHECKING:
    from ..models.portable_subscription import PortableSubscription


T = TypeVar("T", bound="PortableDocument")


@_attrs_define
class PortableDocument:
    """For the documentation. Channels are no part of it: they belong to an account of this server.

    Attributes:
        format_ (PortableDocumentFormat): * `lesubscribe-subscriptions` - lesubscribe-subscriptions
        version (PortableDocumentVersion): * `1` - 1
        exported_at (datetime.datetime):
        subscriptions (list[PortableSubscription]): At most 10,000; channels are not among it.
    """

    format_: PortableDocumentFormat
    version: PortableDocumentVersion
    exported_at: datetime.datetime
    subscriptions: list[PortableSubscription]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        format_: str = self.format_

        version: int = self.version

        exported_at = self.exported_at.isoformat()

        subscriptions = []
        for subscriptions_item_data in self.subscriptions:
            subscriptions_item = subscriptions_item_data.to_dict()
            subscriptions.append(subscriptions_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "format": format_,
                "version": version,
                "exported_at": exported_at,
                "subscriptions": subscriptions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.portable_subscription import PortableSubscription

        d = dict(src_dict)
        format_ = check_portable_document_format(d.pop("format"))

        version = check_portable_document_version(d.pop("version"))

        exported_at = datetime.datetime.fromisoformat(d.pop("exported_at"))

        subscriptions = []
        _subscriptions = d.pop("subscriptions")
        for subscriptions_item_data in _subscriptions:
            subscriptions_item = PortableSubscription.from_dict(subscriptions_item_data)

            subscriptions.append(subscriptions_item)

        portable_document = cls(
            format_=format_,
            version=version,
            exported_at=exported_at,
            subscriptions=subscriptions,
        )

        portable_document.additional_properties = d
        return portable_document

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
