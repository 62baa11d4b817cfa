"""A match knows its owner. Apart from the next step: PostgreSQL does not alter a table it has just filled."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def fill_owner(apps, schema_editor):
    subscriptions = apps.get_model("matching", "Subscription").objects
    owner = subscriptions.filter(pk=OuterRef("subscription_id")).values("owner_id")
    apps.get_model("matching", "Match").objects.update(owner_id=Subquery(owner))


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('matching', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='match',
            name='owner',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(fill_owner, migrations.RunPython.noop),
    ]
