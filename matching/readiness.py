"""What is ready to be stored: an envelope whose event is valid, with its canonical document and its digest.

Live intake and nightly feeds both make it here, so that the same item is the same content to both.
"""

import hashlib
import json
from dataclasses import dataclass

from matching.envelopes import Envelope
from schema_registry.core.events import Event

_json = json.JSONEncoder(sort_keys=True).encode


@dataclass(frozen=True, slots=True)
class Ready:
    """An envelope whose event is valid; `document` is the event in canonical form, as JSON."""

    envelope: Envelope
    document: str
    schema_version: int
    digest: str


def made_ready(envelope: Envelope, event: Event) -> Ready:
    """The envelope with its event, which was validated. O(size)."""
    document = _json(event.to_dict())
    return Ready(envelope, document, event.schema_version, digest(envelope, document))


def digest(envelope: Envelope, document: str) -> str:
    """Of all that makes the content: the canonical event, so that spelling makes no difference."""
    ends_at = None if envelope.ends_at is None else envelope.ends_at.isoformat()
    rest = _json([envelope.title, envelope.url, envelope.image_url, ends_at])
    return hashlib.sha256(f"[{document}, {rest[1:]}".encode()).hexdigest()
