import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_members_of_publishers'),
        ('matching', '0013_events_of_a_publisher'),
    ]

    operations = [
        migrations.CreateModel(
            name='TrafficPosition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('accepted_up_to', models.BigIntegerField(default=0)),
                ('matched_up_to', models.BigIntegerField(default=0)),
                ('refused_up_to', models.CharField(default='0-0', max_length=41)),
                ('samples_up_to', models.CharField(default='0-0', max_length=41)),
            ],
        ),
        migrations.CreateModel(
            name='RefusalReason',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fault', models.CharField(max_length=40)),
                ('about', models.CharField(blank=True, max_length=100)),
                ('publisher', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='refusal_reasons', to='accounts.publisher')),
            ],
        ),
        migrations.CreateModel(
            name='RefusalCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('begins_at', models.DateTimeField()),
                ('count', models.PositiveIntegerField(default=0)),
                ('reason', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='counts', to='matching.refusalreason')),
            ],
        ),
        migrations.CreateModel(
            name='Refusal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('refused_at', models.DateTimeField()),
                ('via', models.CharField(choices=[('api', 'one by one'), ('batch', 'in a batch')], max_length=10)),
                ('key_prefix', models.CharField(blank=True, max_length=12)),
                ('external_id', models.CharField(blank=True, max_length=200)),
                ('raw', models.TextField(blank=True)),
                ('answered', models.JSONField(default=list)),
                ('publisher', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='refusals', to='accounts.publisher')),
                ('reasons', models.ManyToManyField(related_name='refusals', to='matching.refusalreason')),
            ],
        ),
        migrations.CreateModel(
            name='Traffic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('span', models.PositiveSmallIntegerField(choices=[(60, 'Minute'), (3600, 'Hour')])),
                ('begins_at', models.DateTimeField()),
                ('accepted', models.PositiveIntegerField(default=0)),
                ('refused', models.PositiveIntegerField(default=0)),
                ('waits', models.JSONField(default=dict)),
                ('publisher', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='traffic', to='accounts.publisher')),
            ],
        ),
        migrations.AddConstraint(
            model_name='refusalreason',
            constraint=models.UniqueConstraint(fields=('publisher', 'fault', 'about'), name='one_reason_of_its_kind'),
        ),
        migrations.AddIndex(
            model_name='refusalcount',
            index=models.Index(fields=['begins_at'], name='refusal_counts_by_age'),
        ),
        migrations.AddConstraint(
            model_name='refusalcount',
            constraint=models.UniqueConstraint(fields=('reason', 'begins_at'), name='one_refusal_count_per_hour'),
        ),
        migrations.AddIndex(
            model_name='refusal',
            index=models.Index(fields=['publisher', 'id'], name='refusals_of_a_publisher'),
        ),
        migrations.AddIndex(
            model_name='refusal',
            index=models.Index(fields=['refused_at'], name='refusals_by_age'),
        ),
        migrations.AddIndex(
            model_name='traffic',
            index=models.Index(fields=['span', 'begins_at'], name='traffic_by_age'),
        ),
        migrations.AddConstraint(
            model_name='traffic',
            constraint=models.UniqueConstraint(fields=('publisher', 'span', 'begins_at'), name='one_traffic_per_publisher_and_span'),
        ),
    ]
