"""Tests of feeds in the pure core: mappings, judging, reading, the generator."""
