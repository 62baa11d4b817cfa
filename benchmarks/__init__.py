"""Benchmarks and the reproduction of the papers' figures."""
