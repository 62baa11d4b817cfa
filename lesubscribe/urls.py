"""Every address we answer."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django_prometheus.exports import ExportToDjangoView

from lesubscribe import pages

admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = admin.site.site_title = "Le Subscribe"

urlpatterns = [
    path("", pages.home, name="home"),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    path("healthz", pages.healthz, name="healthz"),
    path("metrics", ExportToDjangoView, name="metrics"),
    path("outbox", pages.outbox_list, name="outbox"),
    path("outbox/<str:name>", pages.outbox_mail, name="outbox-mail"),
    path("readyz", pages.readyz, name="readyz"),
]
