"""What django-allauth asks us: how people are told, how secrets are kept, what things are called."""

from contextlib import nullcontext
from smtplib import SMTPException
from typing import Any, ClassVar
from urllib.parse import urlsplit

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context, ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from lesubscribe.security import browsers, known_browsers, sealing, sessions
from notifications.core.wording import exact_moment
from schema_registry.accounts import languages
from schema_registry.accounts.models import User

_log = structlog.get_logger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    """Signing in from a browser not seen before is told in a mail, but for the first time of all."""

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.language = languages.known(get_language())
        return super().save_user(request, user, form, commit)  # type: ignore[no-any-return]

    def login(self, request: HttpRequest, user: User) -> None:
        languages.choose_if_none(user)
        is_first = user.last_login is None  # signing in writes it
        super().login(request, user)
        request.is_first_sign_in = is_first  # type: ignore[attr-defined]  # for `post_login`

    def post_login(self, request: HttpRequest, user: User, **login: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **login)
        if not getattr(request, "is_first_sign_in", False) and not known_browsers.is_known(request, user):
            self._tell_of_new_browser(request, user)
        known_browsers.remember(request, response, user)
        sessions.begin(request)
        sessions.end_oldest(user)
        return response

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """To whom it is for, whoever has asked for it; who has no account reads the language of the page."""
        user = context.get("user")
        with languages.speaking_to(user) if isinstance(user, User) else nullcontext():
            super().send_mail(template_prefix, email, context)

    def send_notification_mail(
        self, template_prefix: str, user: User, context: Any = None, email: str | None = None
    ) -> None:
        """A mail server that is away is no reason to undo what the mail would tell of."""
        with languages.speaking_to(user):
            self._notify(template_prefix, user, context, email)

    def _notify(self, template_prefix: str, user: User, context: Any, email: str | None) -> None:
        more = {
            "browser": browsers.in_words(self.get_http_user_agent(self.request)),
            "moment": exact_moment(timezone.now(), timezone.get_current_timezone()),
            "security_url": settings.BASE_URL + reverse("mfa_index"),
            "password_url": settings.BASE_URL + reverse("account_change_password"),
            "reset_url": settings.BASE_URL + reverse("account_reset_password"),
        }
        try:
            super().send_notification_mail(template_prefix, user, {**more, **(context or {})}, email)
        except (OSError, SMTPException, UnicodeError) as error:
            _log.warning("notice_not_sent", notice=template_prefix, error=type(error).__name__)

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return [{**method, "description": _REAUTHENTICATION[method["id"]]} for method in methods]

    def _tell_of_new_browser(self, request: HttpRequest, user: User) -> None:
        if ratelimit.consume(request, action="sign_in_notice", key=str(user.pk)):
            self.send_notification_mail("account/email/new_browser", user)


class MfaAdapter(DefaultMFAAdapter):
    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultMFAAdapter.error_messages,
        "add_email_blocked": _(
            "Your account asks for a second step when you sign in, and then takes no new address. Switch the"
            " second step off under Security, add and confirm the address, and switch it on again."
        ),
        "incorrect_code": _(
            "This code is not right, or it was used already. Codes of an app change every 30 seconds."
        ),
        "unverified_email": _(
            "Confirm all your email addresses first, or remove those that are not confirmed."
        ),
        "unreadable": _(
            "Your codes can no longer be read. Ask whoever runs this site to reset your second step."
        ),
    }

    def encrypt(self, text: str) -> str:
        return sealing.sealed(text)

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return sealing.opened(encrypted_text)
        except sealing.UnreadableError:
            _log.error("second_step_unreadable")
            raise self.validation_error("unreadable") from None

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:  # noqa: A002 - so it is called
        """What made it, which its owner may change: "Firefox on Windows", then "Firefox on Windows 2"."""
        name = browsers.in_words(context.request.headers.get("User-Agent", ""))
        count = Authenticator.objects.filter(user=user, type=type).count()
        return f"{name} {count + 1}" if count else name

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Passkeys are for the one address that people see, whichever name a request came by."""
        return {"id": urlsplit(settings.BASE_URL).hostname or "", "name": "Le Subscribe"}


_REAUTHENTICATION = {
    "reauthenticate": _("Use your password"),
    "mfa_reauthenticate": _("Use a code"),
    "mfa_reauthenticate:webauthn": _("Use a passkey"),
}
