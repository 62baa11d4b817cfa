"""Expensive operator predicates and the strategies that share their evaluation. Pure."""
