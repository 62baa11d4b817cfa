"""Settings of the test run: a private VAR, so that nothing of it touches the developer's data."""

import atexit
import os
import shutil
import tempfile

os.environ["VAR"] = tempfile.mkdtemp(prefix="lesubscribe-test-")

from lesubscribe.settings import *  # noqa: F403 - VAR must be set before settings are read

_database = DATABASES["default"]  # noqa: F405 - from the settings above, as all that follow
# Threads of a test must meet in one database; SQLite's usual one for tests is in memory and would not do.
if _database["ENGINE"].endswith("sqlite3"):
    _database["TEST"] = {"NAME": VAR / "test.sqlite3"}  # noqa: F405
    # Nobody pulls the plug, so nothing waits for the disk; whole systems run with what they have in earnest.
    _database["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF"
    _database["OPTIONS"]["timeout"] = 120  # a busy machine is no fault
else:
    _database["OPTIONS"]["pool"]["timeout"] = 120
    _database["OPTIONS"]["connect_timeout"] = 60
# Whoever asks Redis gives up after 0.2 to 5 seconds, for which a busy machine may well stand still. What the
# address says goes before that; tests in which Redis is silent have an address of their own.
REDIS_URL += "?socket_timeout=60&socket_connect_timeout=60"  # noqa: F405
for _cache in CACHES.values():  # noqa: F405
    _cache["LOCATION"] = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS |= {"socket_timeout": 60, "socket_connect_timeout": 60}  # noqa: F405
# A code of an app is shown for half a minute, of which a test may catch the last moment.
MFA_TOTP_TOLERANCE = 1
# Hashing passwords slowly is the point in production and a waste here.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Every new test client would look at all static files once more, a third of what most tests take.
WHITENOISE_AUTOREFRESH = True
atexit.register(shutil.rmtree, VAR, ignore_errors=True)  # noqa: F405
