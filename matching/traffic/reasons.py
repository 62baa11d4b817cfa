"""Why an item was refused, as one of few reasons by which alike refusals are counted."""

from typing import NamedTuple

from matching.envelopes import Envelope, InvalidEnvelope
from schema_registry.core.errors import InputError, InvalidEvent
from schema_registry.problems import status_and_code

MOST_OF_AN_ITEM = 10
LONGEST_NAME = 60
_FIELDS = {*Envelope.__dataclass_fields__, "Idempotency-Key"}


class Reason(NamedTuple):
    """What is wrong, by a name that is the same in every language, and the field or attribute it is about."""

    fault: str
    about: str = ""

    @property
    def of_its_kind(self) -> "Reason":
        """Under which it is counted where there are too many names."""
        return Reason(self.fault)


def reasons_of(error: InputError) -> list[Reason]:
    """Each once, the first of them; at least one."""
    if isinstance(error, InvalidEvent):
        found = [Reason(each.fault, each.attribute[:LONGEST_NAME]) for each in error.errors]
    elif isinstance(error, InvalidEnvelope):
        found = [Reason(_fault_of_field(name), name[:LONGEST_NAME]) for name in error.faults]
    else:
        found = [Reason(status_and_code(error)[1])]
    return list(dict.fromkeys(found))[:MOST_OF_AN_ITEM]


def _fault_of_field(name: str) -> str:
    if not name:
        return "envelope_is_no_object"
    return "envelope_field" if name in _FIELDS else "unknown_field"
