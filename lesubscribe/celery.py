"""The Celery application: a queue for each kind of work, JSON only, acknowledged late; see `settings.py`.

A message is only a wake-up: the work itself is in the database, so losing all of Redis loses nothing.
"""

import logging.config
import os
import signal
import warnings
from typing import Any

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import setup_logging, worker_process_init
from django.conf import settings
from django_structlog.celery.steps import DjangoStructLogInitStep

from lesubscribe.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")
# Every worker would import all pages to look for mistakes in them, a third of its start. Tests do that.
os.environ.setdefault("CELERY_SKIP_CHECKS", "yes")

# Containers run as root; what makes that dangerous for Celery, pickled messages, we do not accept.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("lesubscribe")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(DjangoStructLogInitStep)


@setup_logging.connect
def log_as_django_does(**kwargs: Any) -> None:
    logging.config.dictConfig(settings.LOGGING)


@worker_process_init.connect
def do_not_outlive_the_worker(**kwargs: Any) -> None:
    die_with_parent(signal.SIGKILL)
