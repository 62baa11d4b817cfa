"""`Authorization: Bearer <key>`."""

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from schema_registry.accounts.models import ApiKey, User
from schema_registry.accounts.services import key_of


class ApiKeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, ApiKey] | None:
        scheme, _space, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        key = key_of(secret.decode("latin-1").strip(), now=timezone.now())
        if key is None:
            raise AuthenticationFailed(_("This key is unknown or was revoked."))
        return key.user, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
