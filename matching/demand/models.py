"""The one publication there is."""

from django.db import models


class Demand(models.Model):
    """One row: what publishers may read, and since when. Numbers that may not be told are in no table.

    `up_to` is the last subscription there was when it was published: who makes one later is a newcomer.
    """

    counted_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True)
    up_to = models.BigIntegerField(default=0)
    document = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"counted at {self.counted_at}, published at {self.published_at}"
