"""The least that can be searched for: lots with prices."""

from schema_registry import services
from tests.integration.made_once import made_once

BY_STAFF = services.Author(None)


@made_once
def make_lots() -> None:
    """The event type `lot`, with any number of prices."""
    services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    services.create_attribute(BY_STAFF, "price", "money")
    services.create_event_type(BY_STAFF, "lot", {"price": ["optional", "multiple"]})
