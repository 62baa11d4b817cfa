"""What a change of the schema would mean for the apps above, which this one does not know."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.dispatch import Signal

from schema_registry.models import SchemaVersion

# Sent with `change`, a ProposedChange, before staff confirm it. A receiver returns sentences for them to
# read first, such as "12 searches ask for price.", or an empty list.
schema_impact = Signal()


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """The names that a change touches, directly or through what uses them; `values` by domain."""

    rule: SchemaVersion.Rule
    domains: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    event_types: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def impact_of(change: ProposedChange) -> list[str]:
    """All sentences. A receiver's error is raised: staff must not confirm what could not be looked up."""
    answers = schema_impact.send(sender=ProposedChange, change=change)
    return [sentence for _receiver, sentences in answers for sentence in sentences or ()]
