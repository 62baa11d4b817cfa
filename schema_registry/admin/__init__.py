"""The schema for staff: all of it to browse, and changes that go through `services`, as those of the API."""

from schema_registry.admin import attributes, domains, event_types, event_views, history, values

__all__ = ["attributes", "domains", "event_types", "event_views", "history", "values"]
