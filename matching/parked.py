"""Events that were set aside because no worker could match them: giving one another chance."""

from django.db import transaction

from matching import wakeups
from matching.models import MatchWork, PublishedEvent
from schema_registry.core.errors import InputError

State = PublishedEvent.State


class NotParked(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """An event that is not set aside, so there is nothing to try again."""

    code = "not_parked"


def retry(event: PublishedEvent) -> None:
    """Let it be matched with no attempts behind it. Raises NotParked.

    It counts as accepted when it was. What has expired since, and was let go, is not made up for.
    """
    with transaction.atomic():
        parked = PublishedEvent.objects.filter(pk=event.pk, state=State.PARKED)
        if not parked.update(state=State.ACCEPTED, reason=""):
            raise NotParked(f"{event} is not parked.")
        MatchWork.objects.create(event=event)
        transaction.on_commit(wakeups.MATCHERS.send)
