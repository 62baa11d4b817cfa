"""Settings of the test run: a private VAR, so that nothing of it touches the developer's data."""

import atexit
import os
import shutil
import tempfile

os.environ["VAR"] = tempfile.mkdtemp(prefix="lesubscribe-test-")

from lesubscribe.settings import *  # noqa: F403 - VAR must be set before settings are read

# Threads of a test must meet in one database; SQLite's usual one for tests is in memory and would not do.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": VAR / "test.sqlite3"}  # noqa: F405
    # Nobody pulls the plug, so nothing waits for the disk; whole systems run with what they have in earnest.
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF"  # noqa: F405
# Hashing passwords slowly is the point in production and a waste here.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Every new test client would look at all static files once more, a third of what most tests take.
WHITENOISE_AUTOREFRESH = True
atexit.register(shutil.rmtree, VAR, ignore_errors=True)  # noqa: F405
