"""Subscriptions and the log of their changes.

The log is what makes matching exact while subscriptions come and go: a change is numbered in the transaction
that makes it, under a row lock, so that numbers become visible in order. A worker's matcher knows the last
number it has applied and catches up before it matches. Only `services` writes these tables.
"""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


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
