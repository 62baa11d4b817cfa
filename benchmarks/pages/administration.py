"""The pages of the administration that are measured: of everything it shows, the list, a search, and one."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.urls import reverse

from benchmarks.pages.addresses import Page

WORD = "w00150"


def pages() -> Iterator[Page]:
    """What it has now: a model that is registered later joins by itself."""
    yield Page("administration", reverse("admin:index"), seen_by="staff")
    for model, shown in admin.site._registry.items():
        yield from _of_model(f"{model._meta.app_label}_{model._meta.model_name}", shown)


def _of_model(label: str, shown: "ModelAdmin[Any]") -> Iterator[Page]:
    model, listed = shown.model, reverse(f"admin:{label}_changelist")
    name = f"administration, {model._meta.verbose_name_plural}"
    yield Page(name, listed, seen_by="staff")
    if shown.search_fields:
        yield Page(f"{name}, looked for", f"{listed}?q={WORD}", seen_by="staff", says=f'value="{WORD}"')
    newest = model._default_manager.order_by("-pk").first()
    if newest is not None:
        yield Page(f"{name}, one", reverse(f"admin:{label}_change", args=[newest.pk]), seen_by="staff")
