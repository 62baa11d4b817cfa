"""People, publishers and their keys, for staff."""

from schema_registry.accounts.admin import keys, publishers, users

__all__ = ["keys", "publishers", "users"]
