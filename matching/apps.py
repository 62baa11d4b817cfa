from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MatchingConfig(AppConfig):
    name = "matching"
    verbose_name = _("Matching")

    def ready(self) -> None:
        from matching import schema_impact  # noqa: F401 - connects it
