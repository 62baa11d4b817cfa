from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_invitations_and_successors_of_keys")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(blank=True, default="", max_length=10, verbose_name="language"),
        )
    ]
