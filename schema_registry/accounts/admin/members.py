"""Who looks after a publisher, for staff: adding somebody who has an account, and removing a member."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from schema_registry.accounts import memberships
from schema_registry.accounts.models import Publisher, User
from schema_registry.core.errors import InputError
from schema_registry.staff.questions import Outcome, Question, Subject
from schema_registry.staff.saving import why_field


class NewMemberForm(forms.Form):
    email = forms.EmailField(label=gettext_lazy("Email address of the account"))
    why = why_field()


class MemberForm(forms.Form):
    member = forms.ChoiceField(label=gettext_lazy("Member"), widget=forms.RadioSelect)
    why = why_field()

    def __init__(self, publisher: Publisher, data: Any = None) -> None:
        super().__init__(data)
        member = self.fields["member"]
        assert isinstance(member, forms.ChoiceField)
        member.choices = [(row.user_id, row.user.email) for row in memberships.members_of(publisher)]


class _AboutMembers(Question):
    in_lists = False
    most = 1

    def subjects(self, rows: Sequence[Publisher]) -> list[Subject]:
        return [Subject(row, [_members(row)]) for row in rows]


class AddMember(_AboutMembers):
    name = "add-member"
    label = gettext_lazy("Add a member")
    explanation = gettext_lazy(
        "They can make and revoke its keys, withdraw its items, and add to the schema."
    )
    done = gettext_lazy("Somebody more looks after %(names)s.")

    def form(self, rows: Sequence[Publisher], data: Any = None) -> forms.Form:
        return NewMemberForm(data)

    def carry_out(self, user: Any, rows: Sequence[Publisher], form: forms.Form) -> Outcome:
        (publisher,), email = rows, form.cleaned_data["email"]
        # A publisher's programs act as a user too, whom nobody can sign in as.
        people = User.objects.filter(is_active=True, publisher=None)
        member = people.filter(email__iexact=email).first()
        if member is None:
            raise InputError(_("Nobody has an account with the address %(email)s.") % {"email": email})
        memberships.add_member(publisher, member)
        told = _("%(member)s is a member. %(why)s") % {"member": member, "why": form.cleaned_data["why"]}
        return Outcome([(publisher, told)])


class RemoveMember(_AboutMembers):
    name = "remove-member"
    label = gettext_lazy("Remove a member")
    explanation = gettext_lazy(
        "They no longer see its pages. Keys that they know go on working: revoke those, too."
    )
    done = gettext_lazy("Somebody less looks after %(names)s.")

    def makes_sense_for(self, row: Publisher) -> bool:
        return memberships.members_of(row).exists()

    def form(self, rows: Sequence[Publisher], data: Any = None) -> forms.Form:
        return MemberForm(rows[0], data)

    def carry_out(self, user: Any, rows: Sequence[Publisher], form: forms.Form) -> Outcome:
        (publisher,) = rows
        member = User.objects.get(pk=form.cleaned_data["member"])
        memberships.remove_member(publisher, member)
        words = {"member": member, "why": form.cleaned_data["why"]}
        return Outcome([(publisher, _("%(member)s is no longer a member. %(why)s") % words)])


def _members(publisher: Publisher) -> str:
    count = memberships.members_of(publisher).count()
    return ngettext("It has %(count)d member.", "It has %(count)d members.", count) % {"count": count}
