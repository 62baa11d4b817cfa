"""Tests of the engine's parts."""
