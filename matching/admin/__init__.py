"""Subscriptions, events and matches for staff: to look at, and changes that go through the services."""

from matching.admin import events, matches, subscriptions

__all__ = ["events", "matches", "subscriptions"]
