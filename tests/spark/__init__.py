"""Tests of the nightly job on a real Spark, local[2]."""
