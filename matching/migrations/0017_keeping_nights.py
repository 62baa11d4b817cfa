from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matching', '0016_parked_events'),
    ]

    operations = [
        migrations.AddField(
            model_name='nightlyrun',
            name='attempts',
            field=models.PositiveSmallIntegerField(default=0, editable=False, verbose_name='attempts'),
        ),
        migrations.AddField(
            model_name='nightlyrun',
            name='told',
            field=models.JSONField(default=dict, editable=False),
        ),
        # Of the nights that are there already nobody needs to hear.
        migrations.AddField(
            model_name='nightlyrun',
            name='is_reported',
            field=models.BooleanField(default=True, editable=False),
        ),
        migrations.AlterField(
            model_name='nightlyrun',
            name='is_reported',
            field=models.BooleanField(default=False, editable=False),
        ),
    ]
