from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0006_chats_replays_and_returned_mails")]

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
