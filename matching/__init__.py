"""Subscriptions, events, and the matchers that bring them together."""
