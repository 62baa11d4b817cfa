import django.db.models.deletion
import notifications.core.policy
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('matching', '0005_announcements'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Preferences',
            fields=[
                ('owner', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='preferences', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('time_zone', models.CharField(default='UTC', max_length=64, verbose_name='time zone')),
                ('quiet_from', models.TimeField(blank=True, null=True, verbose_name='quiet from')),
                ('quiet_until', models.TimeField(blank=True, null=True, verbose_name='quiet until')),
                ('digest_at', models.TimeField(default='08:00', verbose_name='time of digests')),
                ('digest_weekday', models.PositiveSmallIntegerField(default=0, verbose_name='day of weekly digests')),
                ('feed_nonce', models.CharField(blank=True, default='', editable=False, max_length=32)),
            ],
            options={
                'verbose_name': 'preferences',
                'verbose_name_plural': 'preferences',
            },
        ),
        migrations.CreateModel(
            name='Allowance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=2000)),
                ('day', models.DateField()),
                ('used', models.PositiveIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('address', 'day'), name='one_allowance_per_day')],
            },
        ),
        migrations.CreateModel(
            name='Channel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('email', 'e-mail'), ('webhook', 'webhook')], max_length=10, verbose_name='kind')),
                ('address', models.CharField(max_length=2000, verbose_name='address')),
                ('state', models.CharField(choices=[('pending', 'waiting for confirmation'), ('active', 'active'), ('disabled', 'switched off')], default='pending', max_length=10, verbose_name='state')),
                ('reason', models.TextField(blank=True, verbose_name='why it is switched off')),
                ('wants', models.CharField(choices=[('everything', 'matches and notices'), ('notices', 'notices only'), ('nothing', 'nothing')], default='everything', max_length=10, verbose_name='wants')),
                ('most_per_day', models.PositiveIntegerField(blank=True, help_text='What comes after that waits for a digest.', null=True, verbose_name='most messages a day')),
                ('secret', models.CharField(editable=False, max_length=100)),
                ('old_secret', models.CharField(blank=True, editable=False, max_length=100)),
                ('old_secret_until', models.DateTimeField(editable=False, null=True)),
                ('challenge', models.CharField(editable=False, max_length=64)),
                ('created_at', models.DateTimeField(verbose_name='created')),
                ('verified_at', models.DateTimeField(blank=True, null=True, verbose_name='verified')),
                ('failures', models.PositiveIntegerField(default=0, verbose_name='failures in a row')),
                ('failing_since', models.DateTimeField(blank=True, null=True, verbose_name='failing since')),
                ('resume_at', models.DateTimeField(editable=False, null=True)),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='channels', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
            ],
            options={
                'verbose_name': 'channel',
                'verbose_name_plural': 'channels',
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True, verbose_name='id on the wire')),
                ('key', models.CharField(editable=False, max_length=100)),
                ('kind', models.CharField(choices=[('match', 'match'), ('digest', 'digest'), ('notice', 'notice'), ('verify', 'verification'), ('test', 'test')], max_length=10, verbose_name='kind')),
                ('about', models.JSONField(default=dict, editable=False)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('delivered', 'delivered'), ('dropped', 'dropped'), ('dead', 'given up')], default='waiting', max_length=10, verbose_name='state')),
                ('planned_at', models.DateTimeField(verbose_name='planned')),
                ('next_attempt_at', models.DateTimeField(verbose_name='next attempt')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                ('leased_until', models.DateTimeField(editable=False, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True, verbose_name='finished')),
                ('reason', models.TextField(blank=True, verbose_name='what happened')),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='notifications.channel', verbose_name='channel')),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='matching.publishedevent', verbose_name='event')),
            ],
            options={
                'verbose_name': 'delivery',
                'verbose_name_plural': 'deliveries',
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(verbose_name='attempt')),
                ('began_at', models.DateTimeField(verbose_name='began')),
                ('milliseconds', models.PositiveIntegerField(verbose_name='took, in ms')),
                ('is_success', models.BooleanField(verbose_name='arrived')),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='status')),
                ('request', models.TextField(blank=True, verbose_name='request')),
                ('response', models.TextField(blank=True, verbose_name='response')),
                ('error', models.TextField(blank=True, verbose_name='error')),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='log', to='notifications.delivery')),
            ],
            options={
                'verbose_name': 'attempt',
                'verbose_name_plural': 'attempts',
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_overflow', models.BooleanField(default=False)),
                ('is_told', models.BooleanField(default=False)),
                ('channel', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='notifications.channel')),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='notifications.delivery')),
                ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='matching.match')),
            ],
        ),
        migrations.CreateModel(
            name='SendingSwitch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_halted', models.BooleanField(default=False, verbose_name='halted')),
                ('reason', models.CharField(blank=True, max_length=200, verbose_name='why')),
                ('changed_at', models.DateTimeField(blank=True, null=True, verbose_name='changed')),
                ('changed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'sending',
                'verbose_name_plural': 'sending',
            },
        ),
        migrations.CreateModel(
            name='Terms',
            fields=[
                ('subscription', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='terms', serialize=False, to='matching.subscription', verbose_name='subscription')),
                ('frequency', models.CharField(choices=[(notifications.core.policy.Frequency['AT_ONCE'], notifications.core.policy.Frequency['AT_ONCE']), (notifications.core.policy.Frequency['HOURLY'], notifications.core.policy.Frequency['HOURLY']), (notifications.core.policy.Frequency['DAILY'], notifications.core.policy.Frequency['DAILY']), (notifications.core.policy.Frequency['WEEKLY'], notifications.core.policy.Frequency['WEEKLY'])], default=notifications.core.policy.Frequency['AT_ONCE'], max_length=10, verbose_name='frequency')),
                ('revisions', models.CharField(choices=[(notifications.core.policy.Revisions['ONCE'], notifications.core.policy.Revisions['ONCE']), (notifications.core.policy.Revisions['PRICE_DROP'], notifications.core.policy.Revisions['PRICE_DROP']), (notifications.core.policy.Revisions['ALWAYS'], notifications.core.policy.Revisions['ALWAYS'])], default=notifications.core.policy.Revisions['ONCE'], max_length=10, verbose_name='new revisions')),
                ('every_channel', models.BooleanField(default=True, verbose_name='on every channel')),
                ('channels', models.ManyToManyField(blank=True, related_name='terms', to='notifications.channel', verbose_name='channels')),
            ],
            options={
                'verbose_name': 'terms',
                'verbose_name_plural': 'terms',
            },
        ),
        migrations.AddIndex(
            model_name='channel',
            index=models.Index(fields=['address'], name='channels_of_an_address'),
        ),
        migrations.AddConstraint(
            model_name='channel',
            constraint=models.UniqueConstraint(fields=('owner', 'kind', 'address'), name='one_channel_per_address'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['next_attempt_at'], name='deliveries_due'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['channel', '-id'], name='deliveries_of_a_channel'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['channel', 'next_attempt_at'], name='deliveries_in_turn'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('leased_until__isnull', False)), fields=['channel'], name='deliveries_under_way'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('channel', 'key'), name='one_delivery_per_key'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(fields=('match', 'channel'), name='one_entry_per_channel'),
        ),
    ]
