from typing import Literal

ReplayDocumentState = Literal["done", "stopped", "under_way"]

REPLAY_DOCUMENT_STATE_VALUES: set[ReplayDocumentState] = {
    "done",
    "stopped",
    "under_way",
}


def check_replay_document_state(value: str) -> ReplayDocumentState:
    if value in REPLAY_DOCUMENT_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REPLAY_DOCUMENT_STATE_VALUES!r}")
