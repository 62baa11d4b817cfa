"""Who asks for a page."""

from django.http import HttpRequest

from schema_registry.accounts.models import User


def signed_in(request: HttpRequest) -> User:
    """The person, in a view that lets nobody else in."""
    assert isinstance(request.user, User), "whoever is not signed in came no further"
    return request.user
