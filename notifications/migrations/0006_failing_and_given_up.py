from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0005_deliveries_by_state")]

    operations = [
        migrations.AddIndex(
            model_name="channel",
            index=models.Index(
                fields=["failing_since"],
                condition=models.Q(("failures__gt", 0)),
                name="channels_failing",
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                fields=["state", "finished_at"],
                condition=models.Q(("state", "dead")),
                name="deliveries_given_up",
            ),
        ),
    ]
