from django.apps import AppConfig
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from schema_registry.core import sentences


class SchemaRegistryConfig(AppConfig):
    name = "schema_registry"
    verbose_name = _("Event schema")

    def ready(self) -> None:
        from schema_registry import openapi  # noqa: F401 - registers itself

        sentences.translate_by(translation)
