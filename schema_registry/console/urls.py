"""The addresses of the console, below `publish`; those of matching follow in its own list."""

from django.urls import URLPattern, path

from schema_registry.console import pages

urlpatterns: list[URLPattern] = [
    path("", pages.index, name="publish"),
]
