"""Events that were set aside because no worker could match them: giving one another chance."""

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from matching import event_rows, wakeups
from matching.models import PublishedEvent
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

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
        if not parked.update(state=State.ACCEPTED, reason="", state_changed_at=Now()):
            raise NotParked(_("{event} is not parked.", event=event))
        event_rows.insert_work([event.pk], shards=settings.MATCHING_SHARDS)
        transaction.on_commit(wakeups.wake_matchers)
