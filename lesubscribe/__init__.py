"""The project: settings, URLs, the Celery app and the supervisor behind `make up`."""
