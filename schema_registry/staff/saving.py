"""Admin pages of models that only services write."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from schema_registry.core.errors import InputError


class ServiceForm(forms.ModelForm):
    """A form whose content goes to a service. What the service refused, it says when it is shown again."""

    refused: ClassVar[str] = ""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.refused and not self.errors:
            raise ValidationError(self.refused)
        return cleaned


class ServiceAdmin(admin.ModelAdmin):
    """Adding goes to a service by `write`; nothing is deleted, and nothing changed but by the questions
    (see `questions`) or where a subclass says otherwise."""

    refusals: ClassVar[tuple[type[Exception], ...]] = (InputError,)
    add_form: ClassVar[type[ServiceForm]] = ServiceForm
    add_fieldsets: ClassVar[Any] = ()

    def write(self, request: HttpRequest, form: Any, formsets: Sequence[Any], change: bool) -> str:
        """Call the service, point `form.instance` to what is stored, and return what the log should say."""
        raise NotImplementedError

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return (
            self.add_fieldsets if obj is None and self.add_fieldsets else super().get_fieldsets(request, obj)
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else super().get_readonly_fields(request, obj)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None:
            kwargs["form"] = self.add_form
        form = super().get_form(request, obj, change=change, **kwargs)
        form.refused = getattr(request, "refused", "")  # type: ignore[attr-defined]
        return form

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().changeform_view(request, *args, **kwargs)
        except self.refusals as refusal:
            # The form was right when it was checked, and somebody was faster. It is shown again, filled in.
            request.refused = str(refusal)  # type: ignore[attr-defined]
            return super().changeform_view(request, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing yet: the service takes the form and its rows as one, in `save_related`."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        form.told = self.write(request, form, formsets, change).strip()

    def construct_change_message(self, request: Any, form: Any, formsets: Any, add: bool = False) -> Any:
        return form.told


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows to look at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def why_field() -> forms.CharField:
    return forms.CharField(
        label=_("Why"),
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 2, "class": "vLargeTextField"}),
        help_text=_("Kept in the history, for whoever wonders later."),
    )
