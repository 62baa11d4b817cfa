from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.imported_subscription import ImportedSubscription


T = TypeVar("T", bound="ImportAnswer")


@_attrs_define
class ImportAnswer:
    """
    Attributes:
        imported (int):
        skipped (int): Those you had already, with the same name and meaning.
        subscriptions (list[ImportedSubscription]):
    """

    imported: int
    skipped: int
    subscriptions: list[ImportedSubscription]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        imported = self.imported

        skipped = self.skipped

        subscriptions = []
        for subscriptions_item_data in self.subscriptions:
            subscriptions_item = subscriptions_item_data.to_dict()
            subscriptions.append(subscriptions_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "imported": imported,
                "skipped": skipped,
                "subscriptions": subscriptions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.imported_subscription import ImportedSubscription

        d = dict(src_dict)
        imported = d.pop("imported")

        skipped = d.pop("skipped")

        subscriptions = []
        _subscriptions = d.pop("subscriptions")
        for subscriptions_item_data in _subscriptions:
            subscriptions_item = ImportedSubscription.from_dict(subscriptions_item_data)

            subscriptions.append(subscriptions_item)

        import_answer = cls(
            imported=imported,
            skipped=skipped,
            subscriptions=subscriptions,
        )

        import_answer.additional_properties = d
        return import_answer

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
