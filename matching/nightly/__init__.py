"""Nightly runs on the side of the database: what a run needs to know, and the way of its matches into it."""
