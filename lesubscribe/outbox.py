"""Where mails stay when no mail server is named: files under VAR that staff read on a page."""

import email
import email.policy
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage as ParsedMail
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

_TIME_IN_NAME = "%Y%m%dT%H%M%S.%f"


class EmailBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            _keep(message.message().as_bytes())
        return len(email_messages)


@dataclass(frozen=True, slots=True)
class KeptMail:
    name: str
    kept_at: datetime
    sender: str
    to: str
    subject: str
    text: str


def kept_mails(*, newest: int) -> list[KeptMail]:
    """The newest mails, newest first."""
    return [_read(path) for path in sorted(_outbox().glob("*.eml"), reverse=True)[:newest]]


def kept_mail(name: str) -> KeptMail | None:
    """The mail of this name; None for a name that is not in the outbox, whatever path it spells."""
    path = _outbox() / f"{name}.eml"
    return _read(path) if path in set(_outbox().glob("*.eml")) else None


def _outbox() -> Path:
    return Path(settings.OUTBOX)


def _keep(content: bytes) -> None:
    _outbox().mkdir(mode=0o700, exist_ok=True)
    name = f"{datetime.now(UTC):{_TIME_IN_NAME}}-{secrets.token_hex(4)}"
    unfinished = _outbox() / f"{name}.part"
    unfinished.write_bytes(content)
    unfinished.rename(unfinished.with_suffix(".eml"))


def _read(path: Path) -> KeptMail:
    mail = email.message_from_bytes(path.read_bytes(), ParsedMail, policy=email.policy.default)
    body = mail.get_body(("plain", "html"))
    return KeptMail(
        name=path.stem,
        kept_at=datetime.strptime(path.stem.split("-")[0], _TIME_IN_NAME).replace(tzinfo=UTC),
        sender=str(mail["From"]),
        to=str(mail["To"]),
        subject=str(mail["Subject"]),
        text=body.get_content() if body else "",
    )
