import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_members_of_publishers'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='replaces',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='successors', to='accounts.apikey'),
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, verbose_name='e-mail address')),
                ('invited_at', models.DateTimeField(verbose_name='invited')),
                ('mailed_at', models.DateTimeField(null=True, verbose_name='mail sent')),
                ('closed_at', models.DateTimeField(null=True, verbose_name='closed')),
                ('invited_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('publisher', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='accounts.publisher', verbose_name='publisher')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
                'constraints': [models.UniqueConstraint(models.F('publisher'), django.db.models.functions.text.Lower('email'), name='one_invitation_per_address')],
            },
        ),
    ]
