"""The web application, as uvicorn runs it."""

import os

from django.core.asgi import get_asgi_application
from django.db import connections

from lesubscribe.body_limit import BodyLimit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")

application = BodyLimit(get_asgi_application(), most_bytes=64_000_000)

# A person or a publisher waits for us; 503 after 5 s is better than an answer after 20.
for _settings in connections.settings.values():
    if _settings["ENGINE"].endswith("sqlite3"):
        _settings["OPTIONS"]["timeout"] = 5
