"""What will be said on the next page is kept where Django does by default, in a cookie of our own name."""

from typing import Any

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class _NamedCookie(CookieStorage):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cookie_name = settings.MESSAGES_COOKIE_NAME


class Messages(FallbackStorage):
    storage_classes = (_NamedCookie, SessionStorage)
