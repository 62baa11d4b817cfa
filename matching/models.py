"""Subscriptions with the log of their changes; events, the work they still need, and their matches.

The database is the truth and the queue: an event is acknowledged when it is committed together with its
work, and is done when the work is gone.

The log is what makes matching exact while subscriptions come and go: a change is numbered in the transaction
that makes it, under a row lock, so that numbers become visible in order. A worker's matcher knows the last
number it has applied and catches up before it matches. Only `services` writes these tables.
"""

import secrets

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from matching import stored_reasons
from matching.demand.models import Demand as Demand
from matching.nightly.models import NightlyRun as NightlyRun
from matching.nightly.models import SiteMapping as SiteMapping
from matching.traffic.models import Refusal as Refusal
from matching.traffic.models import RefusalCount as RefusalCount
from matching.traffic.models import RefusalReason as RefusalReason
from matching.traffic.models import Traffic as Traffic
from matching.traffic.models import TrafficPosition as TrafficPosition
from schema_registry.accounts.models import Publisher


class Subscription(models.Model):
    class State(models.TextChoices):
        ACTIVE = "active", _("active")
        PAUSED = "paused", _("paused")
        MUTED = "muted", _("muted")
        EXPIRED = "expired", _("expired")
        REMOVED = "removed", _("removed")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="subscriptions", verbose_name=_("owner")
    )
    name = models.CharField(_("name"), max_length=200, blank=True)
    text = models.TextField(_("text"))
    canonical = models.TextField(_("canonical text"))
    compiled = models.JSONField(_("conjunctions"))
    schema_version = models.PositiveIntegerField(_("schema version"))
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.ACTIVE)
    # Of a removed one the state it had, so that removing it can be taken back.
    state_before = models.CharField(max_length=10, choices=State, null=True, editable=False)
    created_at = models.DateTimeField(_("created"))
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    ticket_digest = models.CharField(max_length=64, unique=True, editable=False)

    class Meta:
        verbose_name = _("subscription")
        verbose_name_plural = _("subscriptions")
        indexes = (
            models.Index(fields=["owner", "state"], name="subscriptions_of_an_owner"),
            models.Index(  # what has expired stays for a long time, and is not looked at again
                fields=["expires_at"],
                condition=~models.Q(state__in=["expired", "removed"]),
                name="subscriptions_by_expiry",
            ),
        )

    def __str__(self) -> str:
        return self.name or self.canonical[:80]


def random_epoch() -> int:
    return secrets.randbits(62)


class ChangeCounter(models.Model):
    """One row: the last number given. It is locked last before a commit, so nobody waits for long.

    Changes up to `cut_up_to` may be gone from the log. `epoch` tells this database from others.
    """

    last = models.BigIntegerField(default=0)
    cut_up_to = models.BigIntegerField(default=0)
    epoch = models.BigIntegerField(default=random_epoch, editable=False)


class SubscriptionChange(models.Model):
    """One entry of the log: from now on this subscription is matched so, or no longer.

    The end of a subscription stays in the log when its row is erased: matchers may still have to hear of it.
    """

    sequence = models.BigIntegerField(primary_key=True)
    subscription = models.ForeignKey(
        Subscription, models.DO_NOTHING, related_name="changes", db_constraint=False
    )
    is_matched = models.BooleanField()
    compiled = models.JSONField(null=True)
    schema_version = models.PositiveIntegerField()
    expires_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("sequence",)

    def __str__(self) -> str:
        return f"{self.sequence}: {self.subscription_id}"


class KeptSnapshot(models.Model):
    """A snapshot of a matcher that some worker keeps in files, and the last change it has.

    A database that was restored to an earlier moment does not know it, whatever its number.
    """

    token = models.CharField(max_length=32, primary_key=True)
    sequence = models.BigIntegerField()
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"up to change {self.sequence}"


class PublishedEvent(models.Model):
    """An item as a publisher sent it, valid under the schema version it names."""

    class State(models.TextChoices):
        ACCEPTED = "accepted", _("accepted")
        MATCHED = "matched", _("matched")
        PARKED = "parked", _("parked")
        WITHDRAWN = "withdrawn", _("withdrawn")

    publisher = models.ForeignKey(  # the unique key below begins with it
        Publisher, models.PROTECT, related_name="events", verbose_name=_("publisher"), db_index=False
    )
    external_id = models.CharField(_("the publisher's id"), max_length=200)
    revision = models.PositiveIntegerField(_("revision"))
    digest = models.CharField(max_length=64, editable=False)
    schema_version = models.PositiveIntegerField(_("schema version"))
    document = models.JSONField(_("attributes"))
    title = models.CharField(_("title"), max_length=500, blank=True)
    url = models.CharField(_("address"), max_length=2_000, blank=True)
    image_url = models.CharField(_("picture"), max_length=2_000, blank=True)
    ends_at = models.DateTimeField(pgettext_lazy("when", "ends"), null=True, blank=True)
    accepted_at = models.DateTimeField(pgettext_lazy("when", "accepted"), db_index=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.ACCEPTED)
    match_count = models.PositiveIntegerField(_("matches"), default=0)
    matched_at = models.DateTimeField(pgettext_lazy("when", "matched"), null=True, blank=True)
    reason = models.TextField(_("why it is parked"), blank=True)
    # When it was last withdrawn, parked or tried again, by the database's clock: whoever keeps copies asks.
    state_changed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        constraints = (
            models.UniqueConstraint(
                fields=["publisher", "external_id", "revision"], name="one_event_per_revision"
            ),
        )
        indexes = (
            models.Index(
                fields=["state_changed_at"],
                condition=models.Q(state_changed_at__isnull=False),
                name="events_by_change_of_state",
            ),
            models.Index(fields=["publisher", "id"], name="events_of_a_publisher"),
            # Few are, and they may lie far back; who takes events in has nothing to write here.
            models.Index(
                fields=["publisher", "id"],
                condition=models.Q(state="parked"),
                name="parked_events_of_a_publisher",
            ),
            models.Index(
                fields=["publisher", "id"],
                condition=models.Q(state="withdrawn"),
                name="withdrawn_of_a_publisher",
            ),
            models.Index(  # few among all; with the state, they are counted without their rows
                fields=["state", "state_changed_at"],
                condition=models.Q(state="parked"),
                name="parked_events",
            ),
        )

    def __str__(self) -> str:
        return self.title or f"{self.external_id} ({self.revision})"

    @property
    def why_parked(self) -> str:
        """The reason, in the language of who reads it."""
        return stored_reasons.again(self.reason)


class IdempotencyKey(models.Model):
    """What a publisher called a request, so that sending it again has no further effect."""

    publisher = models.ForeignKey(Publisher, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    event = models.ForeignKey(PublishedEvent, models.CASCADE, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["publisher", "key"], name="one_event_per_idempotency_key"),
        )

    def __str__(self) -> str:
        return self.key


class MatchWork(models.Model):
    """An event that has still to be matched on one shard of so many. Whoever works on it holds a lease."""

    event = models.ForeignKey(PublishedEvent, models.CASCADE, related_name="work", db_index=False)
    shard = models.PositiveSmallIntegerField(default=0)
    shards = models.PositiveSmallIntegerField(default=1)
    attempts = models.PositiveSmallIntegerField(default=0)
    leased_until = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["event", "shard"], name="one_work_per_shard"),)
        indexes = (models.Index(fields=["shards", "shard", "attempts", "id"], name="work_of_a_shard"),)

    def __str__(self) -> str:
        return f"event {self.event_id}, attempt {self.attempts}"


class Match(models.Model):
    """An event and a subscription that it matches: at most one row for each such pair.

    `number` is its place in the owner's feed, given when the feed is first read after it (see `Feed`).
    """

    event = models.ForeignKey(
        PublishedEvent, models.CASCADE, related_name="matches", verbose_name=_("event"), db_index=False
    )
    subscription = models.ForeignKey(
        Subscription,
        models.CASCADE,
        related_name="matches",
        verbose_name=_("subscription"),
        db_index=False,
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="matches",
        verbose_name=_("owner"),
        db_index=False,
    )
    matched_at = models.DateTimeField(pgettext_lazy("when", "matched"))
    number = models.BigIntegerField(null=True, editable=False)
    seen = models.BooleanField(_("seen"), default=False)
    hidden = models.BooleanField(_("hidden"), default=False)

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        constraints = (
            # The owner follows from the subscription; in the key so that their matches of an event are found.
            models.UniqueConstraint(fields=["event", "owner", "subscription"], name="one_match_per_pair"),
            models.UniqueConstraint(fields=["owner", "number"], name="one_match_per_number_of_a_feed"),
        )
        indexes = (
            models.Index(fields=["owner", "id"], name="matches_of_an_owner"),
            models.Index(fields=["subscription", "id"], name="matches_of_a_subscription"),
            models.Index(fields=["owner"], condition=models.Q(seen=False), name="unseen_matches_of_an_owner"),
            models.Index(  # else whether an item is hidden takes as long as it has matches
                fields=["event", "owner"], condition=models.Q(hidden=True), name="hidden_matches_of_an_event"
            ),
        )

    def __str__(self) -> str:
        return f"{self.event_id} × {self.subscription_id}"  # noqa: RUF001 - the sign itself


class DailyCount(models.Model):
    """How many matches a subscription had on a day of UTC; kept by maintenance, see `daily_counts`."""

    subscription = models.ForeignKey(
        Subscription, models.CASCADE, related_name="daily_counts", db_index=False
    )
    day = models.DateField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["subscription", "day"], name="one_count_per_day"),)
        indexes = (models.Index(fields=["day"], name="counts_by_day"),)

    def __str__(self) -> str:
        return f"{self.subscription_id} on {self.day}: {self.count}"


class CountedMatches(models.Model):
    """One row: the last match that is in the daily counts, and the first day that is not counted for good."""

    up_to = models.BigIntegerField(default=0)
    open_since = models.DateField(null=True)

    def __str__(self) -> str:
        return f"up to match {self.up_to}"


class Announcement(models.Model):
    """A matched event of which nobody was told yet; written with the event's new state, on all shards done.

    Whoever tells people takes it under a lease and goes through the matches owner by owner; `told_up_to` is
    the last owner who is dealt with. The row goes with the last one.
    """

    event = models.OneToOneField(
        PublishedEvent, models.CASCADE, primary_key=True, related_name="announcement"
    )
    told_up_to = models.BigIntegerField(default=0)
    leased_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"event {self.event_id}, told up to owner {self.told_up_to}"


class Feed(models.Model):
    """The last number given to a match of this owner. Numbers are given under this row's lock.

    So they become visible in order, and a reader who has seen number n misses nothing by asking for what
    comes after it. Row ids would not do: they become visible out of order.
    """

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="feed"
    )
    last_number = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.owner_id}: {self.last_number}"
