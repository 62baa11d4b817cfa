"""Mail services that tell us of mails which came back or were called spam, by POSTs that anymail understands.

Mails themselves go out by SMTP, which all of them take, so that one deadline and one reading of refusals is
for all.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MailService:
    """`key` is anymail's name for what the service signs with, if it does."""

    view: str
    key: str = ""


SERVICES: Mapping[str, MailService] = {
    "brevo": MailService("anymail.webhooks.brevo.BrevoTrackingWebhookView"),
    "mailersend": MailService(
        "anymail.webhooks.mailersend.MailerSendTrackingWebhookView", "MAILERSEND_SIGNING_SECRET"
    ),
    "mailgun": MailService(
        "anymail.webhooks.mailgun.MailgunTrackingWebhookView", "MAILGUN_WEBHOOK_SIGNING_KEY"
    ),
    "mailjet": MailService("anymail.webhooks.mailjet.MailjetTrackingWebhookView"),
    "postmark": MailService("anymail.webhooks.postmark.PostmarkTrackingWebhookView"),
    "sendgrid": MailService("anymail.webhooks.sendgrid.SendGridTrackingWebhookView"),
    "sparkpost": MailService("anymail.webhooks.sparkpost.SparkPostTrackingWebhookView"),
}


def anymail_settings(service: str, *, secret: str, key: str) -> dict[str, str]:
    """What anymail wants to know; nothing if there is no service."""
    if not service:
        return {}
    signs_with = SERVICES[service].key
    return {"WEBHOOK_SECRET": secret, **({signs_with: key} if signs_with else {})}
