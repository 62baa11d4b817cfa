"""Tests of the pure packages: schema, events, subscription language."""
