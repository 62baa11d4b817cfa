"""How often many searches of one owner tell, changed in small transactions."""

from collections.abc import Sequence

from django.db import transaction

from matching.models import Subscription
from matching.selectors import subscriptions_of
from matching.small_transactions import portions
from notifications.core.policy import Frequency
from notifications.models import Terms
from schema_registry.accounts.models import User


def tell_so_often(owner: User, numbers: Sequence[int], frequency: Frequency) -> int:
    """Those of others, and what was removed, are passed over; how many there were."""
    return sum(_told(owner, some, frequency) for some in portions(sorted(set(numbers))))


def _told(owner: User, numbers: Sequence[int], frequency: Frequency) -> int:
    with transaction.atomic():
        mine: list[Subscription] = list(subscriptions_of(owner).filter(pk__in=numbers).only("pk"))
        Terms.objects.bulk_create(
            [Terms(subscription=row, frequency=frequency) for row in mine],
            update_conflicts=True,
            update_fields=["frequency"],
            unique_fields=["subscription"],
        )
    return len(mine)
