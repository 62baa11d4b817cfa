"""Mails, through the mail server of the settings.

A server that refuses the recipient for good switches the channel off; one that refuses this mail for good
ends its delivery. All else may be better at the next attempt: a server that is away, a full mailbox, and also
what is our own fault, such as a wrong password.
"""

import re
import smtplib
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

_LONGEST_ANSWER = 500
# Not about the address: a full mailbox (5.2.2), and rules of the server that our mails break (5.7).
_MAY_CHANGE = re.compile(r"5\.2\.2\b|5\.7\.\d")
_MAY_CHANGE_CODES = {530, 535, 552}


class EmailTransport:
    def send(self, target: Target, content: Content, *, uid: str, now: datetime) -> Exchange:
        zone = hours_of(target.owner).zone
        letter = written(content, channel=target.channel, address=target.address, zone=zone, now=now)
        give_connection_back()  # nobody shall wait for the database because a mail server takes its time
        mail = _mail(letter, target=target, uid=uid)
        request = f"To: {target.address}\nSubject: {letter.subject}\nMessage-ID: {_message_id(uid)}"
        try:
            code, answer = _handed_over(mail)
        except (OSError, UnicodeError) as error:  # what smtplib raises is an OSError, too
            raise _failure(error, request) from error
        return Exchange(status=code, request=request, response=answer)


def _mail(letter: Letter, *, target: Target, uid: str) -> EmailMultiAlternatives:
    headers = {
        "Message-ID": _message_id(uid),
        "Auto-Submitted": "auto-generated",
        "List-Id": f"Le Subscribe <searches.{_host_of_site()}>",
    }
    if letter.unsubscribe:  # RFC 8058
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


def _handed_over(mail: EmailMultiAlternatives) -> tuple[int, str]:
    """Give the mail to the server; its answer."""
    server = get_connection()  # with the time limit of the settings
    answers: list[tuple[int, bytes]] = []
    try:
        server.open()
        _note_answers(getattr(server, "connection", None), answers)
        server.send_messages([mail])
    finally:
        with suppress(OSError):  # the mail is there by then, or the error that counts is on its way
            server.close()
    code, answer = answers[-1] if answers else (250, b"kept")
    return code, _shown(answer)


def _note_answers(connection: Any, answers: list[tuple[int, bytes]]) -> None:
    """smtplib keeps the server's answer to itself when all goes well; it often names the mail's number."""
    if not isinstance(connection, smtplib.SMTP):
        return
    data = connection.data

    def noting(message: Any) -> tuple[int, bytes]:
        answers.append(data(message))
        return answers[-1]

    connection.data = noting  # type: ignore[method-assign,assignment] # of this one only


def _failure(error: OSError | UnicodeError, request: str) -> DeliveryError:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(error.recipients.values()))
        answer = _shown(said)
        return DeliveryError(
            f"The mail server refuses this address: {code} {answer}",
            disables=_is_final(code, answer),
            exchange=Exchange(status=code, request=request, response=answer),
        )
    if isinstance(error, smtplib.SMTPAuthenticationError | smtplib.SMTPNotSupportedError):
        return DeliveryError("Our mail server does not let us in.", exchange=Exchange(request=request))
    if isinstance(error, smtplib.SMTPResponseException):
        code, answer = error.smtp_code, _shown(error.smtp_error)
        return DeliveryError(
            f"The mail server refuses this mail: {code} {answer}",
            permanent=isinstance(error, smtplib.SMTPDataError) and _is_final(code, answer),
            exchange=Exchange(status=code, request=request, response=answer),
        )
    if isinstance(error, UnicodeError):
        return DeliveryError(
            "Mails cannot be written to this address.", disables=True, exchange=Exchange(request=request)
        )
    if isinstance(error, TimeoutError) or "timed out" in str(error):  # smtplib tells it in its own words
        return DeliveryError("The mail server did not answer in time.", exchange=Exchange(request=request))
    return DeliveryError("The mail server cannot be reached.", exchange=Exchange(request=request))


def _is_final(code: int, answer: str) -> bool:
    return 500 <= code < 600 and code not in _MAY_CHANGE_CODES and not _MAY_CHANGE.search(answer)


def _shown(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return one_line(text, most=_LONGEST_ANSWER)
