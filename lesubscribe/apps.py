from django.apps import AppConfig


class LeSubscribeConfig(AppConfig):
    name = "lesubscribe"

    def ready(self) -> None:
        from lesubscribe import celery  # noqa: F401 - whoever sends a task must send it to our broker
        from lesubscribe.security import noting, receivers  # noqa: F401 - they listen from now on
