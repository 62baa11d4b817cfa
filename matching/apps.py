from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from schema_registry.core.operators import OperatorDeclaration


class MatchingConfig(AppConfig):
    name = "matching"
    verbose_name = _("Matching")

    def ready(self) -> None:
        from matching import schema_impact  # noqa: F401 - connects it
        from schema_registry.known_operators import OPERATORS

        OPERATORS.come_from(_installed_operators)


def _installed_operators() -> "Mapping[str, OperatorDeclaration]":
    from matching.operators import plugins  # they are imported by the first text that calls one

    return plugins.operators()
