"""What tests of the operations page read there, and who may."""

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from schema_registry.accounts.models import User
from tests.integration.admin.pages import text

QUEUES = ("match", "plan", "deliver", "maintenance")


def said(page: Client) -> list[str]:
    """The sentences on top of the page."""
    return [each.sentence for each in page.get("/operations").context["troubles"]]


def shown(page: Client) -> str:
    return text(page.get("/operations"))


def notes() -> list[tuple[str, str]]:
    entries = LogEntry.objects.order_by("pk")
    return [(entry.object_repr, entry.get_change_message()) for entry in entries]


def staff_who_may(*codenames: str) -> User:
    user = User.objects.create_user("some@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user
