"""A mail server that takes all mails, but those it was told to refuse. It may be told to dawdle, too."""

import asyncio
import ssl
import time
from dataclasses import asdict, dataclass
from email import message_from_string, policy
from email.message import EmailMessage
from pathlib import Path
from threading import Event
from typing import Any, AnyStr, Literal, Self, cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.running_system import free_port, wait_until
from tests.sinks.record import Record, Table, lines

EVERYBODY = "*"
_PACE = "pace"
_SECONDS_BETWEEN_DRIPS = 0.1


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How slow the replies are: all of them, or those that begin with `replies`, such as "354"."""

    replies: str = ""
    after_seconds: float = 0.0
    drips: bool = False  # ten bytes a second, without end


class SmtpSink:
    """With `secured` it speaks TLS from the first byte on."""

    def __init__(
        self,
        file: Path,
        *,
        port: int = 0,
        secured: ssl.SSLContext | None = None,
        is_synced: bool = False,
    ) -> None:
        self.port = port or free_port()
        self._file = file
        self._is_synced = is_synced
        self._secured = secured
        self._refusals = Table(_refusals_of(file))
        self._pace = Table(_pace_of(file))
        self.has_dripped = Event()
        self._controller: _Controller | None = None

    def start(self) -> Self:
        self._record = Record(self._file, is_synced=self._is_synced)
        handler = _Handler(self._record, Table(_refusals_of(self._file)))
        self._controller = _Controller(
            handler,
            hostname="127.0.0.1",
            port=self.port,
            ready_timeout=120,  # seconds, of a busy machine
            ssl_context=self._secured,
            pace=Table(_pace_of(self._file)),
            has_dripped=self.has_dripped,
        )
        self._controller.start()
        return self

    def stop(self) -> None:
        """From now on connections are refused; `start` takes the same port again."""
        if self._controller:
            self._controller.end_sessions()
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

    def refuse(
        self, reply: str, *, address: str = EVERYBODY, at: Literal["MAIL", "RCPT", "DATA"] = "RCPT"
    ) -> None:
        """From the next mail on, with a reply such as "550 No such mailbox"; an empty one takes it again.

        What is refused at MAIL or DATA is refused for everybody.
        """
        self._refusals.set(address if at == "RCPT" else at, reply)

    def dawdle(self, pace: Pace) -> None:
        """From the next reply on."""
        self._pace.set(_PACE, asdict(pace))

    def receipts(self, *, address: str = "") -> list[SmtpReceipt]:
        """What arrived, in order; for one address or for all."""
        receipts = [SmtpReceipt(**line) for line in lines(self._file)]
        return [receipt for receipt in receipts if not address or address in receipt.recipients]


class _Handler:
    """The names of its methods are aiosmtpd's."""

    def __init__(self, record: Record, refusals: Table) -> None:
        self._record = record
        self._refusals = refusals

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if refusal := self._refusals.get("MAIL", ""):
            return str(refusal)
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if refusal := self._refusals.get(address, EVERYBODY):
            return str(refusal)
        envelope.rcpt_tos.append(address)
        return "250 Recipient OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if refusal := self._refusals.get("DATA", ""):
            return str(refusal)
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


class _Controller(Controller):
    def __init__(self, *args: Any, **options: Any) -> None:
        self._sessions: set[_Server] = set()
        super().__init__(*args, sessions=self._sessions, **options)

    def factory(self) -> SMTP:
        return _Server(self.handler, **self.SMTP_kwargs)

    def end_sessions(self) -> None:
        """A client may have gone a moment ago, or still be there."""
        for session in list(self._sessions):
            if session.transport:
                self.loop.call_soon_threadsafe(session.transport.abort)  # type: ignore[attr-defined] # is one
        wait_until(lambda: not self._sessions, seconds=120)


class _Server(SMTP):
    """aiosmtpd has one for each session."""

    def __init__(
        self, *args: Any, pace: Table, has_dripped: Event, sessions: set["_Server"], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._pace = pace
        self._has_dripped = has_dripped
        self._sessions = sessions

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._sessions.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._sessions.discard(self)

    async def push(self, status: AnyStr) -> None:
        reply = status.decode() if isinstance(status, bytes) else status
        pace = Pace(**(self._pace.get(_PACE, "") or {}))
        if reply.startswith(pace.replies):
            await asyncio.sleep(pace.after_seconds)
            if pace.drips:
                await self._drip(reply)
        await super().push(status)

    async def _drip(self, reply: str) -> None:
        """Whoever reads it waits for the end of the line. When they go, the task is cancelled."""
        self._writer.write(reply.encode())
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_DRIPS)
            self._writer.write(b".")
            self._has_dripped.set()


def _pace_of(file: Path) -> Path:
    return file.with_suffix(".pace")


def _refusals_of(file: Path) -> Path:
    return file.with_suffix(".refusals")
