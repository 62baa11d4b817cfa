"""Seeded generators of the papers' subscriptions and events."""
