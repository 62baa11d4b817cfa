"""Refusals that deserve another status than the 422 of all other input."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import APIException

from notifications.channels import AddressTaken, AlreadyVerified, NotActive, NotSigned
from notifications.deliveries import CannotReplay, TooSoon
from notifications.replays import UnderWay
from notifications.suppression import Suppressed
from schema_registry.core.errors import InputError

_CONFLICTS = (AddressTaken, AlreadyVerified, CannotReplay, NotActive, NotSigned, Suppressed, UnderWay)


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT

    def __init__(self, error: InputError) -> None:
        super().__init__(str(error), getattr(error, "code", "conflict"))


class AskedTooSoon(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS

    def __init__(self, error: TooSoon) -> None:
        super().__init__(str(error), error.code)
        self.wait = max(1, int((error.again_at - timezone.now()).total_seconds()))


@contextmanager
def told_as_problems() -> Iterator[None]:
    try:
        yield
    except _CONFLICTS as error:
        raise Conflict(error) from None
    except TooSoon as error:
        raise AskedTooSoon(error) from None
