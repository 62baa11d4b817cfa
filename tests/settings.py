"""Settings of the test run: a private VAR, so that nothing of it touches the developer's data."""

import os
import tempfile

os.environ["VAR"] = tempfile.mkdtemp(prefix="lesubscribe-test-")

from lesubscribe.settings import *  # noqa: F403 - VAR must be set before settings are read

# Hashing passwords slowly is the point in production and a waste here.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
