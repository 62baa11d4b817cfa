"""The most that is kept of a publisher's refusals: every reason, in every hour, and all samples."""

from datetime import datetime, timedelta

from matching.models import Refusal, RefusalCount, RefusalReason, Traffic
from matching.traffic.adding import begin_of
from matching.traffic.collecting import MOST_REASONS, MOST_REFUSALS
from matching.traffic.counting import KEPT_DAYS
from matching.traffic.noting import MOST_RAW
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher, User


def fill(person: User, publisher: Publisher, *, now: datetime) -> None:
    """The person looks after the publisher. Puts there what is missing: nothing where it has a reason."""
    add_member(publisher, person)
    if RefusalReason.objects.filter(publisher=publisher).exists():
        return
    reasons = RefusalReason.objects.bulk_create(
        RefusalReason(publisher=publisher, fault="unknown_attribute", about=f"name{number}")
        for number in range(MOST_REASONS)
    )
    hour = begin_of(Traffic.Span.HOUR, now)
    RefusalCount.objects.bulk_create(
        (
            RefusalCount(reason=reason, begins_at=hour - timedelta(hours=ago), count=1 + place)
            for place, reason in enumerate(reasons)
            for ago in range(24 * KEPT_DAYS)
        ),
        batch_size=5_000,
    )
    refusals = Refusal.objects.bulk_create(
        Refusal(
            publisher=publisher,
            refused_at=now,
            via=Refusal.Via.BATCH,
            external_id=f"lot {number}",
            raw="x" * MOST_RAW,
            answered=["There is no such attribute."] * 5,
        )
        for number in range(MOST_REFUSALS)
    )
    link = Refusal.reasons.through
    link.objects.bulk_create(
        link(refusal_id=refusal.pk, refusalreason_id=reasons[(place + more) % MOST_REASONS].pk)
        for place, refusal in enumerate(refusals)
        for more in range(10)
    )
