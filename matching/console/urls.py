"""The addresses of a publisher's pages, below `publish/<number>`."""

from django.urls import URLPattern, path

from matching.console import demand, items, playground, rejects, start, traffic

urlpatterns: list[URLPattern] = [
    path("", start.start, name="publish-start"),
    path("/steps", start.steps, name="publish-steps"),
    path("/playground", playground.playground, name="publish-playground"),
    path("/items", items.items, name="publish-items"),
    path("/items/<int:event>", items.item, name="publish-item"),
    path("/items/<int:event>/withdraw", items.withdraw, name="publish-item-withdraw"),
    path("/traffic", traffic.page, name="publish-traffic"),
    path("/rejects", rejects.page, name="publish-rejects"),
    path("/demand", demand.demand, name="publish-demand"),
]
