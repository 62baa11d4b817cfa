"""Sentences that are stored, on pages."""

from django import template

from schema_registry.said_again import again

register = template.Library()
register.filter("said", again)
