"""Forms of allauth with our words."""

from typing import Any

from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm
from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_NAME = 60


class _WithCode(forms.Form):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        code = self.fields["code"]
        code.label = _("Code")
        code.widget.attrs |= {"inputmode": "numeric", "spellcheck": "false", "maxlength": "20"}


class SecondStepForm(_WithCode, AuthenticateForm):
    pass


class ConfirmByCodeForm(_WithCode, ReauthenticateForm):
    pass


class SetUpAppForm(_WithCode, ActivateTOTPForm):
    pass


class _WithName(forms.Form):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["name"] = forms.CharField(
            label=_("What you call it"), max_length=LONGEST_NAME, required=self.fields["name"].required
        )


class AddPasskeyForm(_WithName, AddWebAuthnForm):
    """A passkey signs in alone; a key that cannot, such as an old one without a PIN, is a second step."""

    field_order = ("name", "passwordless", "credential")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        alone = self.fields["passwordless"]
        alone.label = _("Sign in with it alone, without my password")
        alone.help_text = _(
            "Your device then asks for your fingerprint, your face or its PIN. Untick this for a plain"
            " security key: you are asked for it after your password."
        )
        alone.initial = True


class RenamePasskeyForm(_WithName, EditWebAuthnForm):
    pass
