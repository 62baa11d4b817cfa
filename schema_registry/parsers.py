"""JSON bodies, read strictly: see `core.json_input`."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser

from schema_registry.core.json_input import MAX_BYTES, MAX_ITEMS, read_json
from schema_registry.core.sentences import gettext as _


class BodyTooLarge(APIException):
    status_code = 413
    default_code = "too_large"


class StrictJsonParser(BaseParser):
    """Reads no more than the cap, so a large body costs no memory.

    A view may set `largest_body` and `most_items`; one that has `sent_body` finds there what was sent.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        view = (parser_context or {}).get("view")
        cap = getattr(view, "largest_body", MAX_BYTES)
        body = stream.read(cap + 1)
        if view is not None and hasattr(view, "sent_body"):
            view.sent_body = body
        if len(body) > cap:
            raise BodyTooLarge(_("The body is over {most:,} bytes, the most that is taken here.", most=cap))
        return read_json(body, max_bytes=cap, max_items=getattr(view, "most_items", MAX_ITEMS))
