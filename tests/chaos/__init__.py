"""Faults on purpose, and an oracle that says whether anything was lost or doubled (docs/reliability.md)."""
