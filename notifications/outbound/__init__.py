"""Requests to addresses that strangers chose. See `client` for what keeps them from harm."""

from notifications.outbound.client import Answer, NoAnswer, Outbound
from notifications.outbound.places import Refused

__all__ = ["Answer", "NoAnswer", "Outbound", "Refused"]
