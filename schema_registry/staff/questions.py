"""Questions that are put to staff before something is done; `asking` has the pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy

from schema_registry.core.errors import InputError
from schema_registry.staff.saving import why_field


class WhyForm(forms.Form):
    why = why_field()


@dataclass(frozen=True, slots=True)
class Subject:
    """A row that is asked about: what the change means for it, or why it cannot be."""

    row: Any
    effects: Sequence[str] = ()
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows that were changed, each with what the log should say, and what was refused."""

    done: Sequence[tuple[Any, str]]
    refused: Sequence[str] = ()


class Question:
    """One thing that can be done. Override `do` for one row at a time, or `carry_out` for all as one."""

    name: ClassVar[str]  # in the address
    label: ClassVar[Any]  # in the list of actions, above the page, and on its button
    explanation: ClassVar[Any] = ""
    in_lists: ClassVar[bool] = True
    on_pages: ClassVar[bool] = True
    fewest: ClassVar[int] = 1
    most: ClassVar[int] = 100
    refusals: ClassVar[tuple[type[Exception], ...]] = (InputError,)
    done: ClassVar[Any] = gettext_lazy("Done: %(names)s.")

    def makes_sense_for(self, row: Any) -> bool:
        return True

    def subjects(self, rows: Sequence[Any]) -> list[Subject]:
        return [Subject(row) for row in rows]

    def refusal(self, rows: Sequence[Any]) -> str:
        """Why it cannot be done to these rows together; empty if it can."""
        return ""

    def impact(self, rows: Sequence[Any]) -> list[str]:
        """What it means beyond these rows."""
        return []

    def form(self, rows: Sequence[Any], data: Any = None) -> forms.Form:
        return WhyForm(data)

    def do(self, user: Any, row: Any, why: str) -> str:
        """Returns what the log should say; raises one of the refusals."""
        raise NotImplementedError

    def carry_out(self, user: Any, rows: Sequence[Any], form: forms.Form) -> Outcome:
        done, refused = [], []
        for row in rows:
            try:
                done.append((row, self.do(user, row, form.cleaned_data["why"])))
            except self.refusals as refusal:
                refused.append(str(refusal))
        return Outcome(done, refused)
