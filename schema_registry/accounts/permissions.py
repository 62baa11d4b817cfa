"""What a key allows."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from schema_registry.accounts.models import ApiKey, Publisher, Scope


class PublisherMay(BasePermission):
    """An approved publisher whose key has the scope: `permission_classes = [publisher_may(Scope.SCHEMA)]`."""

    scope: Scope

    def has_permission(self, request: Request, view: APIView) -> bool:
        publisher = publisher_of(request)
        if publisher is None:
            self.message: Any = _("This needs the key of a publisher.")
        elif publisher.state != Publisher.State.APPROVED:
            self.message = _("This publisher is %(state)s.") % {"state": publisher.get_state_display()}
        elif not isinstance(request.auth, ApiKey) or self.scope not in request.auth.scopes:
            self.message = _("This key lacks the scope “%(scope)s”.") % {"scope": self.scope}
        else:
            return True
        return False


class SubscriberMay(BasePermission):
    """A person who is signed in, or whose key has the scope. Publishers have no searches of their own."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated or publisher_of(request) is not None:
            self.message: Any = _("This needs a person: sign in, or use a subscriber's key.")
            return False
        if isinstance(request.auth, ApiKey) and Scope.SUBSCRIPTIONS not in request.auth.scopes:
            self.message = _("This key lacks the scope “%(scope)s”.") % {"scope": Scope.SUBSCRIPTIONS}
            return False
        return True


def publisher_may(scope: Scope) -> type[PublisherMay]:
    return type(f"PublisherMay{scope.name.title()}", (PublisherMay,), {"scope": scope})


def publisher_of(request: Request) -> Publisher | None:
    """The publisher this request acts for, if any."""
    return getattr(request.user, "publisher", None)
