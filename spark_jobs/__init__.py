"""Nightly jobs on Spark: read feeds, validate, bulk-match. Knows JSON and paths, never Django."""
