"""Subscriptions, events, matches and nights for staff: to look at, and changes that services make."""

from matching.admin import events, mappings, matches, nightly_runs, subscriptions

__all__ = ["events", "mappings", "matches", "nightly_runs", "subscriptions"]
