"""Tickets: a secret that alone permits renewing or cancelling one subscription. Only a digest is kept."""

import secrets

from django.utils.crypto import salted_hmac


def new_ticket() -> str:
    return secrets.token_urlsafe(32)


def ticket_digest(ticket: str) -> str:
    """What is kept of a ticket; it does not lead back to it."""
    return salted_hmac("matching.Subscription.ticket", ticket, algorithm="sha256").hexdigest()
