from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matching', '0012_nightly_runs'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='publishedevent',
            index=models.Index(fields=['publisher', 'id'], name='events_of_a_publisher'),
        ),
        migrations.AddIndex(
            model_name='publishedevent',
            index=models.Index(condition=models.Q(('state', 'parked')), fields=['publisher', 'id'], name='parked_events_of_a_publisher'),
        ),
        migrations.AddIndex(
            model_name='publishedevent',
            index=models.Index(condition=models.Q(('state', 'withdrawn')), fields=['publisher', 'id'], name='withdrawn_of_a_publisher'),
        ),
    ]
