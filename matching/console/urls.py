"""The addresses of a publisher's pages, below `publish/<number>`."""

from django.urls import URLPattern, path

from matching.console import start

urlpatterns: list[URLPattern] = [
    path("", start.start, name="publish-start"),
]
