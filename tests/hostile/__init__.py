"""Hostile requests: schemathesis makes them from the OpenAPI document, and holds each answer against it."""
