"""The addresses of a publisher's pages, below `publish/<number>`."""

from django.urls import URLPattern, path

from matching.console import demand, start

urlpatterns: list[URLPattern] = [
    path("", start.start, name="publish-start"),
    path("/demand", demand.demand, name="publish-demand"),
]
