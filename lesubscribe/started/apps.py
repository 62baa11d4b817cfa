import gc

from django.apps import AppConfig


class StartedConfig(AppConfig):
    name = "lesubscribe.started"

    def ready(self) -> None:
        gc.freeze()
        gc.enable()
