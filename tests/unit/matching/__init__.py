"""Tests of the matchers' parts and of the workloads."""
