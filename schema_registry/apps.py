from django.apps import AppConfig
from django.utils import formats, translation
from django.utils.translation import gettext_lazy as _

from schema_registry.core import numbers, sentences
from schema_registry.core.numbers import Separators


class SchemaRegistryConfig(AppConfig):
    name = "schema_registry"
    verbose_name = _("Event schema")

    def ready(self) -> None:
        from schema_registry import openapi  # noqa: F401 - registers itself

        sentences.translate_by(translation)
        numbers.separate_by(_separators)


def _separators() -> Separators:
    return Separators(formats.get_format("THOUSAND_SEPARATOR"), formats.get_format("DECIMAL_SEPARATOR"))
