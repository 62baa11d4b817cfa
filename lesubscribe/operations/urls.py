"""The addresses of the operations page, below `operations`."""

from django.urls import path

from lesubscribe.operations import asking, pages

urlpatterns = [
    path("", pages.operations, name="operations"),
    path("/state", pages.state, name="operations-state"),
    path("/samples", pages.samples, name="operations-samples"),
    path("/waiting", pages.waiting, name="operations-waiting"),
    path("/deliveries", pages.deliveries, name="operations-deliveries"),
    path("/parked/retry", asking.retry_all, name="operations-retry-all"),
    path("/parked/<int:number>/retry", asking.retry, name="operations-retry"),
    path("/deliveries/<int:number>/replay", asking.replay, name="operations-replay"),
    path("/channels/<int:number>/disable", asking.disable, name="operations-disable"),
    path("/channels/<int:number>/enable", asking.enable, name="operations-enable"),
    path("/sending/halt", asking.halt, name="operations-halt"),
    path("/sending/resume", asking.resume, name="operations-resume"),
]
