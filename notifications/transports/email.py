"""Mails, through the mail server of the settings.

Only a server that says in so many words that there is no such mailbox switches the channel off. All else may
be better at the next attempt, and much of it is not the receiver's doing at all: what goes wrong before the
server has answered to the recipient, and refusals that tell of our relay.
"""

import re
import smtplib
import time
from contextlib import suppress
from datetime import datetime
from email.utils import parseaddr
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection

from notifications.core.messages import Content
from notifications.core.wording import one_line
from notifications.hours import hours_of
from notifications.letters import Letter, written
from notifications.transports.base import DeliveryError, Exchange, Target
from notifications.turns import give_connection_back
from schema_registry.core.sentences import gettext as _

_LONGEST_ANSWER = 500
_SMTP = "django.core.mail.backends.smtp.EmailBackend"
_SMTP_WITH_DEADLINE = "notifications.outbound.smtp.EmailBackend"
# Enhanced status codes (RFC 3463), by their subject and detail.
_ENHANCED = re.compile(r"[45]\.([1-7]\.\d{1,3})(?![\d.])")
_NO_SUCH_MAILBOX = {"1.1", "1.2", "1.3", "1.6", "1.10", "2.1"}
# Our sender's address, our quota; our server, how we talk to it, what we send, and what we may.
_ABOUT_US = re.compile(r"1\.[78]|4\.5|[3567]\.\d+")
_CODES_ABOUT_US = {421, 452, 454, 455, 500, 501, 502, 503, 504, 521, 530, 534, 535, 538, 555}


class EmailTransport:
    def __init__(self, *, seconds: float = 15.0) -> None:
        """Seconds for all that is said to an SMTP server and back; well below a lease."""
        self._seconds = seconds

    def send(self, target: Target, content: Content, *, uid: str, now: datetime) -> Exchange:
        zone = hours_of(target.owner).zone
        letter = written(content, channel=target.channel, address=target.address, zone=zone, now=now)
        give_connection_back()  # nobody shall wait for the database because a mail server takes its time
        mail = _mail(letter, target=target, uid=uid)
        request = f"To: {target.address}\nSubject: {letter.subject}\nMessage-ID: {_message_id(uid)}"
        ends_at = time.monotonic() + self._seconds
        try:
            code, answer = _handed_over(mail, ends_at=ends_at)
        except OSError as error:  # what smtplib raises is one, too
            raise _failure(error, request, is_late=time.monotonic() >= ends_at) from error
        except UnicodeError as error:  # it does not tell this address from that of the sender
            sentence = _("Mails cannot be written to this address.")
            raise DeliveryError(sentence, exchange=Exchange(request=request)) from error
        return Exchange(status=code, request=request, response=answer)


def _mail(letter: Letter, *, target: Target, uid: str) -> EmailMultiAlternatives:
    headers = {"Message-ID": _message_id(uid), "Auto-Submitted": "auto-generated"}
    if letter.unsubscribe:  # then it is of a list (RFC 2919), which one can leave (RFC 8058)
        headers["List-Id"] = f"Le Subscribe <searches.{_host_of_site()}>"
        headers["List-Unsubscribe"] = f"<{letter.unsubscribe}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail = EmailMultiAlternatives(letter.subject, letter.text, to=[target.address], headers=headers)
    mail.attach_alternative(letter.html, "text/html")
    return mail


def _message_id(uid: str) -> str:
    _name, sender = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return f"<{uid}@{sender.rpartition('@')[2] or _host_of_site()}>"


def _host_of_site() -> str:
    return urlsplit(settings.BASE_URL).hostname or "localhost"


def _handed_over(mail: EmailMultiAlternatives, *, ends_at: float) -> tuple[int, str]:
    """Give the mail to the server; its answer."""
    server = _server(ends_at)
    answers: list[tuple[int, bytes]] = []
    try:
        _open(server)
        _note_answers(getattr(server, "connection", None), answers)
        server.send_messages([mail])
    finally:
        with suppress(OSError):  # the mail is there by then, or the error that counts is on its way
            server.close()
    code, answer = answers[-1] if answers else (250, b"kept")
    return code, _shown(answer)


def _server(ends_at: float) -> Any:
    """That of the settings. All but SMTP's are left as they are."""
    if settings.EMAIL_BACKEND == _SMTP:
        return get_connection(_SMTP_WITH_DEADLINE, ends_at=ends_at)
    return get_connection()


def _open(server: Any) -> None:
    try:
        server.open()
    except UnicodeError as error:  # it is our user name or password that cannot be written
        raise smtplib.SMTPNotSupportedError("not in ASCII") from error


def _note_answers(connection: Any, answers: list[tuple[int, bytes]]) -> None:
    """smtplib keeps the server's answer to itself when all goes well; it often names the mail's number."""
    if not isinstance(connection, smtplib.SMTP):
        return
    data = connection.data

    def noting(message: Any) -> tuple[int, bytes]:
        answers.append(data(message))
        return answers[-1]

    connection.data = noting  # type: ignore[method-assign,assignment] # of this one only


def _failure(error: OSError, request: str, *, is_late: bool) -> DeliveryError:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(error.recipients.values()))
        answer = _shown(said)
        sentence = _("The mail server refuses this address: {code} {answer}", code=code, answer=answer)
        return _refusal(sentence, code, answer, request)
    if isinstance(error, smtplib.SMTPDataError) and not is_late:  # else its code may have been cut short
        code, answer = error.smtp_code, _shown(error.smtp_error)
        sentence = _("The mail server refuses this mail: {code} {answer}", code=code, answer=answer)
        return _refusal(sentence, code, answer, request)
    exchange, sentence = Exchange(request=request), _("The mail server cannot be reached.")
    if isinstance(error, smtplib.SMTPAuthenticationError | smtplib.SMTPNotSupportedError):
        sentence = _("Our mail server does not let us in.")
    elif isinstance(error, smtplib.SMTPResponseException) and not is_late:
        code, answer = error.smtp_code, _shown(error.smtp_error)
        sentence = _("Our mail server refuses this mail: {code} {answer}", code=code, answer=answer)
        exchange = Exchange(status=code, request=request, response=answer)
    elif is_late or isinstance(error, TimeoutError) or "timed out" in str(error):  # in smtplib's own words
        sentence = _("The mail server did not answer in time.")
    return DeliveryError(sentence, is_ours=True, exchange=exchange)


def _refusal(sentence: str, code: int, answer: str, request: str) -> DeliveryError:
    """The answer to the recipient, or to what came after."""
    return DeliveryError(
        sentence,
        disables=_is_for_good(code, answer) and _subject_and_detail(answer) in _NO_SUCH_MAILBOX,
        is_ours=_is_about_us(code, answer),
        exchange=Exchange(status=code, request=request, response=answer),
    )


def _is_for_good(code: int, answer: str) -> bool:
    return 500 <= code < 600 and answer.startswith("5.")


def _is_about_us(code: int, answer: str) -> bool:
    """The enhanced code is more exact than the other. A bare 550 may mean anything, so the words count."""
    if enhanced := _subject_and_detail(answer):
        return _ABOUT_US.fullmatch(enhanced) is not None
    return code in _CODES_ABOUT_US or not 400 <= code < 600 or "relay" in answer.lower()


def _subject_and_detail(answer: str) -> str:
    found = _ENHANCED.match(answer)
    return found[1] if found else ""


def _shown(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return one_line(text, most=_LONGEST_ANSWER)
