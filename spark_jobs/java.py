"""Whether there is a Java that Spark can run on: also for those who must not import pyspark."""

import os
import re
import shutil
import subprocess
from pathlib import Path

OLDEST_JAVA = 17
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


class NoJavaError(Exception):
    """There is no Java that Spark could run on; the message says how to get it."""


def check_java() -> None:
    """Raises NoJavaError. Asked before pyspark is, whose own answer is a page of shell errors."""
    found = _java()
    advice = (
        f"Install Java {OLDEST_JAVA} or later, for example with `apt install openjdk-17-jre-headless` or "
        "`brew install openjdk@17`, or set JAVA_HOME to where it is."
    )
    if found is None:
        raise NoJavaError(
            f"The nightly job runs on Spark, which needs Java, and there is none here. {advice}"
        )
    told = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    version = _VERSION.search(told)
    if version is None or int(version[1]) < OLDEST_JAVA:
        said = f"is version {version[1]}" if version else "does not say its version"
        raise NoJavaError(f"The nightly job runs on Spark, and {found} {said}. {advice}")


def _java() -> str | None:
    """The one that Spark's own scripts would take."""
    if home := os.environ.get("JAVA_HOME"):
        return shutil.which(str(Path(home) / "bin" / "java"))
    return shutil.which("java")
