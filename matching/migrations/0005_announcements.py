
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matching', '0004_expiry_index'),
    ]

    operations = [
        migrations.CreateModel(
            name='Announcement',
            fields=[
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='announcement', serialize=False, to='matching.publishedevent')),
                ('told_up_to', models.BigIntegerField(default=0)),
                ('leased_until', models.DateTimeField(null=True)),
            ],
        ),
    ]
