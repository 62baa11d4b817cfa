"""Allauth's addresses for the second step. Its lists are on one page of ours, with where one is signed in."""

from allauth.mfa.base import views
from django.urls import include, path

from lesubscribe.security import pages

urlpatterns = [
    path("account/security", pages.security, name="mfa_index"),
    path("account/security/sessions/end-others", pages.end_other_sessions, name="sessions-end-others"),
    path("account/security/sessions/<int:number>/end", pages.end_session, name="session-end"),
    path("accounts/2fa/authenticate/", views.authenticate, name="mfa_authenticate"),
    path("accounts/2fa/reauthenticate/", views.reauthenticate, name="mfa_reauthenticate"),
    path("accounts/2fa/totp/", include("allauth.mfa.totp.urls")),
    path("accounts/2fa/recovery-codes/", include("allauth.mfa.recovery_codes.urls")),
    path("accounts/2fa/webauthn/", pages.passkeys, name="mfa_list_webauthn"),
    path("accounts/2fa/webauthn/", include("allauth.mfa.webauthn.urls")),
]
