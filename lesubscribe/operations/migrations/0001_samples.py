from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Sample",
            fields=[
                ("minute", models.BigIntegerField(primary_key=True, serialize=False)),
                ("waiting", models.PositiveIntegerField()),
                ("due", models.PositiveIntegerField()),
                ("accepted", models.PositiveIntegerField(null=True)),
                ("matched", models.PositiveIntegerField(null=True)),
                ("delivered", models.PositiveIntegerField(null=True)),
                ("lag", models.PositiveIntegerField(null=True)),
                ("oldest", models.PositiveIntegerField(default=0)),
            ],
            options={
                "permissions": (("view_operations", "Can see the operations page"),),
                "default_permissions": (),
            },
        ),
    ]
