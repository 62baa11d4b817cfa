"""Tests of what the nightly job needs no Spark for."""
