from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matching', '0014_traffic_and_refusals'),
    ]

    operations = [
        migrations.CreateModel(
            name='Demand',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('counted_at', models.DateTimeField()),
                ('published_at', models.DateTimeField(null=True)),
                ('up_to', models.BigIntegerField(default=0)),
                ('document', models.JSONField(default=dict)),
            ],
        ),
    ]
