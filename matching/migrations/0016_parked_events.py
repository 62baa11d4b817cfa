from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matching", "0015_demand")]

    operations = [
        migrations.AddIndex(
            model_name="publishedevent",
            index=models.Index(
                fields=["state", "state_changed_at"],
                condition=models.Q(("state", "parked")),
                name="parked_events",
            ),
        ),
    ]
