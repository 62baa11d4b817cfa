"""Subscriptions with the log of their changes; events, the work they still need, and their matches.

The database is the truth and the queue: an event is acknowledged when it is committed together with its
work, and is done when the work is gone.

The log is what makes matching exact while subscriptions come and go: a change is numbered in the transaction
that makes it, under a row lock, so that numbers become visible in order. A worker's matcher knows the last
number it has applied and catches up before it matches. Only `services` writes these tables.
"""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

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
    created_at = models.DateTimeField(_("created"))
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    ticket_digest = models.CharField(max_length=64, unique=True, editable=False)

    class Meta:
        verbose_name = _("subscription")
        verbose_name_plural = _("subscriptions")
        indexes = (
            models.Index(fields=["owner", "state"], name="subscriptions_of_an_owner"),
            models.Index(fields=["expires_at"], name="subscriptions_by_expiry"),
        )

    def __str__(self) -> str:
        return self.name or self.canonical[:80]


class ChangeCounter(models.Model):
    """One row: the last number given. It is locked last before a commit, so nobody waits for long."""

    last = models.BigIntegerField(default=0)


class SubscriptionChange(models.Model):
    """One entry of the log: from now on this subscription is matched so, or no longer."""

    sequence = models.BigIntegerField(primary_key=True)
    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="changes")
    is_matched = models.BooleanField()
    compiled = models.JSONField(null=True)
    schema_version = models.PositiveIntegerField()
    expires_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("sequence",)

    def __str__(self) -> str:
        return f"{self.sequence}: {self.subscription_id}"


class PublishedEvent(models.Model):
    """An item as a publisher sent it, valid under the schema version it names."""

    class State(models.TextChoices):
        ACCEPTED = "accepted", _("accepted")
        MATCHED = "matched", _("matched")
        PARKED = "parked", _("parked")
        WITHDRAWN = "withdrawn", _("withdrawn")

    publisher = models.ForeignKey(
        Publisher, models.PROTECT, related_name="events", verbose_name=_("publisher")
    )
    external_id = models.CharField(_("the publisher's id"), max_length=200)
    revision = models.PositiveIntegerField(_("revision"))
    digest = models.CharField(max_length=64, editable=False)
    schema_version = models.PositiveIntegerField(_("schema version"))
    document = models.JSONField(_("attributes"))
    title = models.CharField(_("title"), max_length=500, blank=True)
    url = models.CharField(_("address"), max_length=2_000, blank=True)
    image_url = models.CharField(_("picture"), max_length=2_000, blank=True)
    ends_at = models.DateTimeField(_("ends"), null=True, blank=True)
    accepted_at = models.DateTimeField(_("accepted"), db_index=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.ACCEPTED)
    match_count = models.PositiveIntegerField(_("matches"), default=0)
    matched_at = models.DateTimeField(_("matched"), null=True, blank=True)
    reason = models.TextField(_("why it is parked"), blank=True)

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        constraints = (
            models.UniqueConstraint(
                fields=["publisher", "external_id", "revision"], name="one_event_per_revision"
            ),
        )

    def __str__(self) -> str:
        return self.title or f"{self.external_id} ({self.revision})"


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
    """An event that has still to be matched. Whoever works on it holds a lease."""

    event = models.OneToOneField(PublishedEvent, models.CASCADE, related_name="work")
    attempts = models.PositiveSmallIntegerField(default=0)
    leased_until = models.DateTimeField(null=True, db_index=True)

    def __str__(self) -> str:
        return f"event {self.event_id}, attempt {self.attempts}"


class Match(models.Model):
    """An event and a subscription that it matches: at most one row for each such pair."""

    event = models.ForeignKey(PublishedEvent, models.CASCADE, related_name="matches")
    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="matches")
    matched_at = models.DateTimeField()

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        constraints = (models.UniqueConstraint(fields=["event", "subscription"], name="one_match_per_pair"),)

    def __str__(self) -> str:
        return f"{self.event_id} x {self.subscription_id}"
