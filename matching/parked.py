"""Events that were set aside because no worker could match them: giving one, or many, another chance."""

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from matching import event_rows, failpoints, leases, wakeups
from matching.models import PublishedEvent
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
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
        failpoints.at_commit("retry")
        transaction.on_commit(wakeups.wake_matchers)


def retry_all(reason: str, *, most: int) -> int:
    """The same for events that were parked for this reason, the oldest first; how many, no more than `most`.

    In small transactions: should it be stopped, those that are done are done.
    """
    done = 0
    while done < most and (some := _parked_for(reason)[: min(ROWS_PER_TRANSACTION, most - done)]):
        with transaction.atomic():
            leases.lock(some)
            still = PublishedEvent.objects.filter(pk__in=some, state=State.PARKED)
            numbers = list(still.values_list("pk", flat=True))
            PublishedEvent.objects.filter(pk__in=numbers).update(
                state=State.ACCEPTED, reason="", state_changed_at=Now()
            )
            event_rows.insert_work(numbers, shards=settings.MATCHING_SHARDS)
            failpoints.at_commit("retry-all")
            transaction.on_commit(wakeups.wake_matchers)
        done += len(numbers)
        give_way()
    return done


def _parked_for(reason: str) -> list[int]:
    parked = PublishedEvent.objects.filter(state=State.PARKED, reason=reason)
    return list(parked.order_by("state_changed_at").values_list("pk", flat=True)[:ROWS_PER_TRANSACTION])
