"""The integrated event schema and its events: pure values, no framework."""
