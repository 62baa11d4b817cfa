"""Fields and bodies of the API that take what is meant and nothing like it."""

from typing import Any

from rest_framework import serializers

from schema_registry.core.sentences import gettext as _


class Name(serializers.CharField):
    """A name as it was sent: the core decides whether spaces or a length are right."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class YesOrNo(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Body(serializers.Serializer):
    """A body with these fields and no others: a misspelt one is told, not passed over."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if unknown:
            message = _("There is no such field here; there are {fields}.", fields=", ".join(self.fields))
            raise serializers.ValidationError(dict.fromkeys(unknown[:10], message))
        return super().to_internal_value(data)
