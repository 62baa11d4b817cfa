"""What is counted of a publisher's traffic, and the newest of what was refused.

All of it is diagnosis: it may miss something when Redis was lost, and is forgotten after some days. Only
maintenance writes these tables, under the lock of `TrafficPosition`.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from schema_registry.accounts.models import Publisher


class TrafficPosition(models.Model):
    """One row: how far maintenance has come, among the events and in the streams of what was refused.

    It is locked while something is added to the counts, and moved in the same transaction: so nothing is
    counted twice, however many count at once and wherever they are stopped.
    """

    accepted_up_to = models.BigIntegerField(default=0)
    matched_up_to = models.BigIntegerField(default=0)
    refused_up_to = models.CharField(max_length=41, default="0-0")
    samples_up_to = models.CharField(max_length=41, default="0-0")

    def __str__(self) -> str:
        return f"up to event {self.accepted_up_to}"


class Traffic(models.Model):
    """One publisher in one minute or one hour of UTC, by when its items came in.

    `waits` is a histogram of the seconds from acceptance to match: see `histogram`.
    """

    class Span(models.IntegerChoices):
        MINUTE = 60
        HOUR = 3_600

    publisher = models.ForeignKey(Publisher, models.CASCADE, related_name="traffic", db_index=False)
    span = models.PositiveSmallIntegerField(choices=Span)
    begins_at = models.DateTimeField()
    accepted = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    waits = models.JSONField(default=dict)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["publisher", "span", "begins_at"], name="one_traffic_per_publisher_and_span"
            ),
        )
        indexes = (models.Index(fields=["span", "begins_at"], name="traffic_by_age"),)

    def __str__(self) -> str:
        return f"{self.publisher_id} from {self.begins_at}"


class RefusalReason(models.Model):
    """Why items of a publisher were refused: a name for what was wrong, and the attribute it is about.

    Names that publishers make up are many; beyond `MOST_REASONS` of a publisher `about` is empty.
    """

    publisher = models.ForeignKey(  # the unique key below begins with it
        Publisher, models.CASCADE, related_name="refusal_reasons", db_index=False
    )
    fault = models.CharField(max_length=40)
    about = models.CharField(max_length=100, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["publisher", "fault", "about"], name="one_reason_of_its_kind"),
        )

    def __str__(self) -> str:
        return f"{self.about}: {self.fault}" if self.about else self.fault


class RefusalCount(models.Model):
    """How many items were refused for this reason, in an hour of UTC."""

    reason = models.ForeignKey(RefusalReason, models.CASCADE, related_name="counts", db_index=False)
    begins_at = models.DateTimeField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["reason", "begins_at"], name="one_refusal_count_per_hour"),
        )
        indexes = (models.Index(fields=["begins_at"], name="refusal_counts_by_age"),)

    def __str__(self) -> str:
        return f"{self.reason_id} from {self.begins_at}: {self.count}"


class Refusal(models.Model):
    """Something that was refused, as it was sent and with what we answered; a sample of all there were."""

    class Via(models.TextChoices):
        API = "api", _("one by one")
        BATCH = "batch", _("in a batch")

    publisher = models.ForeignKey(Publisher, models.CASCADE, related_name="refusals", db_index=False)
    refused_at = models.DateTimeField()
    via = models.CharField(max_length=10, choices=Via)
    key_prefix = models.CharField(max_length=12, blank=True)
    external_id = models.CharField(max_length=200, blank=True)
    raw = models.TextField(blank=True)
    answered = models.JSONField(default=list)  # our sentences, one for each thing that was wrong
    reasons = models.ManyToManyField(RefusalReason, related_name="refusals")

    class Meta:
        indexes = (
            models.Index(fields=["publisher", "id"], name="refusals_of_a_publisher"),
            models.Index(fields=["refused_at"], name="refusals_by_age"),
        )

    def __str__(self) -> str:
        return self.external_id or f"refusal {self.pk}"
