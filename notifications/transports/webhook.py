"""Webhooks by the Standard Webhooks specification: signed POSTs of JSON.

Any 2xx answer means that it arrived. 410 says that the receiver is gone for good. All else is tried again,
redirects and other 4xx among it: receivers get mended.
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from standardwebhooks import Webhook

from notifications.core.attempts import asked_for
from notifications.core.messages import Content, Verify
from notifications.core.payloads import payload
from notifications.outbound import Answer, NoAnswer, Outbound, Refused
from notifications.transports.base import DeliveryError, Exchange, Target
from schema_registry.core.sentences import gettext as _

USER_AGENT = "LeSubscribe/1"
LONGEST_LOGGED_REQUEST = 16_000
LONGEST_LOGGED_RESPONSE = 2_000
_SIGNATURE = "webhook-signature"
_GONE = 410
_MAY_ASK_TO_WAIT = (429, 503)


class WebhookTransport:
    def __init__(self, outbound: Outbound | None = None) -> None:
        self._outbound = outbound

    def send(self, target: Target, content: Content, *, uid: str, now: datetime) -> Exchange:
        body = json.dumps(payload(content, now=now), separators=(",", ":"))
        headers = _headers(target, body, uid=uid, now=now)
        secret = content.challenge if isinstance(content, Verify) else ""
        request = _hidden(_logged_request(target.address, headers, body), secret)
        # The setting is read when it is needed, since tests change it.
        outbound = self._outbound or Outbound(allowed_hosts=settings.WEBHOOK_ALLOWED_HOSTS)
        try:
            answer = outbound.post(target.address, body.encode(), headers)
        except Refused as refused:
            raise DeliveryError(
                str(refused), permanent=refused.is_forever, exchange=Exchange(request=request)
            ) from refused
        except NoAnswer as silence:
            raise DeliveryError(str(silence), exchange=Exchange(request=request)) from silence
        response = _hidden(_logged_response(answer), secret)
        exchange = Exchange(status=answer.status, request=request, response=response)
        _judge(answer, content, exchange)
        return exchange


def _headers(target: Target, body: str, *, uid: str, now: datetime) -> dict[str, str]:
    """One signature for each secret: during a rotation the receiver may know either."""
    signatures = [Webhook(secret).sign(uid, now, body) for secret in target.secrets]
    return {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "webhook-id": uid,
        "webhook-timestamp": str(int(now.timestamp())),
        _SIGNATURE: " ".join(signatures),
    }


def _judge(answer: Answer, content: Content, exchange: Exchange) -> None:
    """Raises DeliveryError unless it has arrived."""
    if answer.status == _GONE:
        sentence = _("The receiver says that it is gone for good (410).")
        raise DeliveryError(sentence, disables=True, exchange=exchange)
    if not 200 <= answer.status < 300:
        sentence = _("The receiver answered {status}.", status=answer.status)
        raise DeliveryError(sentence, wait=_wait_asked_for(answer), exchange=exchange)
    if isinstance(content, Verify) and content.challenge.encode() not in answer.body:
        raise DeliveryError(_("The answer does not contain the challenge."), exchange=exchange)


def _wait_asked_for(answer: Answer) -> timedelta:
    if answer.status not in _MAY_ASK_TO_WAIT:
        return timedelta(0)
    return asked_for(answer.headers.get("retry-after", "")) or timedelta(0)


def _hidden(text: str, secret: str) -> str:
    """Whoever could read a challenge before it is answered would have another page answer it."""
    return text.replace(secret, "***") if secret else text


def _logged_request(url: str, headers: Mapping[str, str], body: str) -> str:
    """Without the signature: whoever has it could send the message again."""
    shown = [f"{name}: {value}" for name, value in headers.items() if name != _SIGNATURE]
    return "\n".join([f"POST {url}", *shown, "", body])[:LONGEST_LOGGED_REQUEST]


def _logged_response(answer: Answer) -> str:
    """PostgreSQL takes no NUL in a text."""
    text = answer.body[: 4 * LONGEST_LOGGED_RESPONSE].decode(errors="replace")
    return text[:LONGEST_LOGGED_RESPONSE].replace("\0", "\N{REPLACEMENT CHARACTER}")
