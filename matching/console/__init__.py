"""The publisher's console: what becomes of its items. Keys and the schema are in schema_registry."""
