import base64
import secrets

from django.db import migrations
from django.utils import timezone


def add_channels(apps, schema_editor):
    """Addresses that were verified at sign-up are channels, as they are from now on by themselves."""
    Channel = apps.get_model("notifications", "Channel")
    now = timezone.now()
    for address in apps.get_model("account", "EmailAddress").objects.filter(verified=True).iterator():
        Channel.objects.get_or_create(
            owner_id=address.user_id,
            kind="email",
            address=address.email.lower(),
            defaults={
                "state": "active",
                "secret": "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode("ascii"),
                "challenge": secrets.token_urlsafe(32),
                "created_at": now,
                "verified_at": now,
            },
        )


class Migration(migrations.Migration):
    dependencies = [("notifications", "0001_initial"), ("account", "0009_emailaddress_unique_primary_email")]
    operations = [migrations.RunPython(add_channels, migrations.RunPython.noop)]
