"""Every address we answer."""

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularJSONAPIView

from lesubscribe import account_pages, landing, languages, mail_events, pages
from schema_registry.problems import not_found

admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = admin.site.site_title = "Le Subscribe"

handler400 = pages.bad_request

urlpatterns = [
    path("", landing.home, name="home"),
    path("live-example", landing.example, name="live-example"),
    path("account", account_pages.account, name="account"),
    path("account/export", account_pages.export, name="account-export"),
    path("account/delete", account_pages.delete_account, name="account-delete"),
    path("accounts/", include("allauth.account.urls")),
    path("", include("lesubscribe.security.urls")),
    path("admin/", admin.site.urls),
    path("notifications/", include("notifications.pages.mails_urls")),
    path("", include("notifications.pages.urls")),
    path("", include("schema_registry.pages_urls")),
    path("publish", include("schema_registry.console.urls")),
    path("publish/<int:number>", include("matching.console.urls")),
    path("api/docs/", pages.ApiDocs.as_view(url_name="openapi"), name="api-docs"),
    path("api/v1/openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("api/v1/", include("schema_registry.urls")),
    path("api/v1/", include("notifications.urls")),
    path("api/v1/", include("matching.urls")),
    re_path(r"^api(?:/|$)", not_found),
    path("healthz", pages.healthz, name="healthz"),
    *mail_events.urlpatterns(settings.MAIL_SERVICE),
    path("metrics", pages.metrics, name="metrics"),
    path("language", languages.switch, name="language"),
    path("operations", include("lesubscribe.operations.urls")),
    path("outbox", pages.outbox_list, name="outbox"),
    path("outbox/<str:name>", pages.outbox_mail, name="outbox-mail"),
    path("readyz", pages.readyz, name="readyz"),
]
