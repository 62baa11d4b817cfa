"""A schema that grows while events come: attributes that are used once they are there."""

from schema_registry.core.schema import Schema
from tests.chaos import market
from tests.chaos.client import Client

MOST = 20


class Growth:
    """`names` are the attributes that were acknowledged, in the order of their numbers."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()

    @property
    def is_full(self) -> bool:
        """A publisher may extend the schema only so often a day."""
        return len(self.names) >= MOST

    def grow(self, publisher: Client) -> bool:
        """One more optional attribute for the items; whether there was room for it.

        A conflict means that it was made by a request whose answer was lost.
        """
        if self.is_full:
            return False
        name = f"extra{len(self.names) + 1}"
        attribute = {"name": name, "domain": market.DOMAIN_OF_EXTRAS}
        publisher.ask("POST", "schema/attributes", attribute, good={201, 409})
        into = f"schema/event-types/{market.EVENT_TYPE}/attributes"
        publisher.ask("POST", into, {"attribute": name}, good={201, 409})
        self.names = (*self.names, name)
        return True

    @property
    def schema(self) -> Schema:
        """As it is now. All that was valid before is valid, and means the same."""
        return market.schema(self.names)
