"""A schema that many tests begin with is made by its services once, and its rows are put there afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from uuid import uuid4

from django.apps import apps
from django.db import models, transaction

from schema_registry import selectors
from schema_registry.core.schema import Schema
from schema_registry.models import SchemaLock, SchemaVersion


@dataclass(frozen=True, slots=True)
class _Made:
    rows: list[list[models.Model]]  # by table
    schema: Schema

    def put_there(self) -> None:
        """As it was, but for the moment and the tokens: whatever is cached of a former one is not of this."""
        for row in (row for table in self.rows for row in table):
            if isinstance(row, SchemaVersion):
                row.token = uuid4()
                newest = row.token
        with transaction.atomic():  # foreign keys are looked at in the end
            for table in self.rows:
                type(table[0])._default_manager.bulk_create(table)
        selectors.remember(self.schema, newest)


def made_once(make: Callable[[], None]) -> Callable[[], None]:
    """If there is a schema already, it is made on top of that, as ever."""
    made: list[_Made] = []

    @wraps(make)
    def make_or_put_there() -> None:
        if SchemaLock.objects.exists():
            make()
        elif made:
            made[0].put_there()
        else:
            make()
            tables = (
                list(model._default_manager.order_by("pk"))
                for model in apps.get_app_config("schema_registry").get_models()
            )
            made.append(_Made([table for table in tables if table], selectors.current_schema()))

    return make_or_put_there
