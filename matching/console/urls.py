"""The addresses of a publisher's pages, below `publish/<number>`."""

from django.urls import URLPattern, path

from matching.console import rejects, start, traffic

urlpatterns: list[URLPattern] = [
    path("", start.start, name="publish-start"),
    path("/traffic", traffic.page, name="publish-traffic"),
    path("/rejects", rejects.page, name="publish-rejects"),
]
