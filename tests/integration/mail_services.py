"""What mail services POST, as their own documents show it, and how they prove who they are."""

import base64
import hashlib
import hmac
import time
from typing import Any

USER = "lesubscribe:a password of some length"
KEY = "key-of-our-mailgun-account"


def postmark_bounce(address: str, *, kind: str = "HardBounce", number: int = 901542550) -> dict[str, Any]:
    return {
        "RecordType": "Bounce",
        "ID": number,
        "Type": kind,
        "TypeCode": 1,
        "Name": "Hard bounce",
        "Tag": "Test",
        "MessageID": "2706ee8a-737c-4285-b032-ccd317af53ed",
        "Metadata": {},
        "ServerID": 23,
        "MessageStream": "outbound",
        "Description": "The server was unable to deliver your message (ex: unknown user).",
        "Details": "smtp;550 5.1.1 The email account that you tried to reach does not exist.",
        "Email": address,
        "From": "finds@mail.example.org",
        "BouncedAt": "2026-11-16T12:59:34.1234567-05:00",
        "DumpAvailable": True,
        "Inactive": True,
        "CanActivate": True,
        "Subject": "Oak dining table - 180 EUR",
        "Content": "",
    }


def postmark_complaint(address: str, *, number: int = 901542551) -> dict[str, Any]:
    return postmark_bounce(address, kind="SpamComplaint", number=number) | {
        "RecordType": "SpamComplaint",
        "Name": "Spam complaint",
        "Description": "The subscriber explicitly marked this message as spam.",
        "Details": "Test spam complaint details",
    }


def postmark_delivery(address: str) -> dict[str, Any]:
    return {
        "RecordType": "Delivery",
        "MessageID": "883953f4-6105-42a2-a16a-77a8eac79483",
        "Recipient": address,
        "Tag": "welcome-email",
        "DeliveredAt": "2026-11-16T12:10:19Z",
        "Details": "Test delivery webhook details",
        "ServerID": 23,
        "Metadata": {},
    }


def mailgun(
    address: str, *, event: str = "failed", severity: str = "permanent", code: int = 605
) -> dict[str, Any]:
    """Signed with its key, for this moment."""
    timestamp, token = str(int(time.time())), "0ce9dc9b7b7e3b4a2d9f0c5b5e6a7d8f9a0b1c2d3e4f506172"
    signature = hmac.new(KEY.encode(), f"{timestamp}{token}".encode(), hashlib.sha256).hexdigest()
    return {
        "signature": {"timestamp": timestamp, "token": token, "signature": signature},
        "event-data": {
            "id": f"G9Bn5sl1TC6nu79C8C0bwg-{event}-{severity}",
            "event": event,
            "severity": severity,
            "reason": "suppress-bounce" if code == 605 else "generic",
            "recipient": address,
            "timestamp": 1794830400.5,
            "log-level": "error",
            "delivery-status": {
                "attempt-no": 1,
                "code": code,
                "description": "Not delivering to previously bounced address",
                "message": "",
            },
            "flags": {"is-authenticated": True},
            "message": {"headers": {"message-id": "20261116120000.1.ABC@mail.example.org"}},
            "tags": [],
            "user-variables": {},
        },
    }


def basic(user: str = USER) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(user.encode()).decode()}"}
