"""A mail server that takes all mails, but those to addresses it was told to refuse."""

import time
from dataclasses import asdict, dataclass
from email import message_from_string, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Self, cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.running_system import free_port
from tests.sinks.record import Record, Table, lines

EVERYBODY = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class SmtpReceipt:
    id: str  # the Message-ID
    sender: str
    recipients: list[str]
    content: str
    at: float

    @property
    def message(self) -> EmailMessage:
        return message_from_string(self.content, policy=policy.default)


class SmtpSink:
    def __init__(self, file: Path, *, port: int = 0) -> None:
        self.port = port or free_port()
        self._file = file
        self._refusals = Table(_refusals_of(file))
        self._controller: Controller | None = None

    def start(self) -> Self:
        self._record = Record(self._file)
        handler = _Handler(self._record, Table(_refusals_of(self._file)))
        self._controller = Controller(handler, hostname="127.0.0.1", port=self.port)
        self._controller.start()
        return self

    def stop(self) -> None:
        """From now on connections are refused; `start` takes the same port again."""
        if self._controller:
            self._controller.stop()
            self._controller = None
            self._record.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *args: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """For EMAIL_URL."""
        return f"smtp://127.0.0.1:{self.port}"

    def refuse(self, reply: str, *, address: str = EVERYBODY) -> None:
        """From the next mail on, with a reply such as "550 No such mailbox"; an empty one takes it again."""
        self._refusals.set(address, reply)

    def receipts(self, *, address: str = "") -> list[SmtpReceipt]:
        """What arrived, in order; for one address or for all."""
        receipts = [SmtpReceipt(**line) for line in lines(self._file)]
        return [receipt for receipt in receipts if not address or address in receipt.recipients]


class _Handler:
    """The names of its methods are aiosmtpd's."""

    def __init__(self, record: Record, refusals: Table) -> None:
        self._record = record
        self._refusals = refusals

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if refusal := self._refusals.get(address, EVERYBODY):
            return str(refusal)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        content = cast(bytes, envelope.content).decode(errors="replace")
        receipt = SmtpReceipt(
            id=str(message_from_string(content)["Message-ID"]),
            sender=str(envelope.mail_from),
            recipients=list(envelope.rcpt_tos),
            content=content,
            at=time.time(),
        )
        self._record.append(asdict(receipt))
        return "250 Taken"


def _refusals_of(file: Path) -> Path:
    return file.with_suffix(".refusals")
