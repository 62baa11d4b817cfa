"""How things stood, minute by minute."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Sample(models.Model):
    """`minute` is that of the epoch, so two who sample make one row. Empty is what could not be known."""

    minute = models.BigIntegerField(primary_key=True)
    waiting = models.PositiveIntegerField()  # events
    due = models.PositiveIntegerField()  # deliveries
    # Of the minute before, on the machine of the worker that samples.
    accepted = models.PositiveIntegerField(null=True)
    matched = models.PositiveIntegerField(null=True)
    delivered = models.PositiveIntegerField(null=True)
    # 19 of 20 events were matched so many milliseconds after they were accepted, or sooner.
    lag = models.PositiveIntegerField(null=True)
    oldest = models.PositiveIntegerField(default=0)  # milliseconds that the first of the waiting has waited

    class Meta:
        default_permissions = ()
        permissions = (("view_operations", _("Can see the operations page")),)

    def __str__(self) -> str:
        return f"minute {self.minute}"
