"""Subscriptions before they are stored: their text is checked, and they are still nobody's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from matching.models import Subscription
from matching.stored import Compiled, compiled
from schema_registry.core.schema import Schema
from schema_registry.known_operators import OPERATORS
from schema_registry.language import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """`compiled` is what `canonical` means under the schema version, as `stored` writes it.

    `more` is what an app above us keeps beside it.
    """

    text: str
    canonical: str
    compiled: Compiled
    schema_version: int
    warnings: tuple[str, ...] = ()
    name: str = ""
    state: Subscription.State = Subscription.State.ACTIVE
    expires_at: datetime | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[str, str]:
        """Two that share it are the same to a person."""
        return self.canonical, self.name


def drafted(text: str, schema: Schema, *, name: str = "", expires_at: datetime | None = None) -> Draft:
    """The text, parsed. Raises SubscriptionError."""
    parsed = parse(text, schema, operators=OPERATORS)
    return Draft(
        text=text,
        canonical=parsed.canonical,
        compiled=compiled(parsed.conjunctions),
        schema_version=schema.version,
        warnings=parsed.warnings,
        name=name,
        expires_at=expires_at,
    )
