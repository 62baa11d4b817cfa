"""Tests; one folder per suite."""
