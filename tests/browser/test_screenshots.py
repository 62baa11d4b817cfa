"""`make screenshots` is a program of its own: it starts without the settings that tests have."""

import os
import subprocess
import sys

from tests.running_system import ROOT

LIST_THEM = "from tests.browser.screenshots import TAKEN; print(*(picture.name for picture in TAKEN))"


def test_it_starts_by_itself_and_takes_every_picture_that_the_docs_show() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    taken = subprocess.run(
        [sys.executable, "-c", LIST_THEM], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert taken.returncode == 0, taken.stderr
    assert set(taken.stdout.split()) == {path.stem for path in (ROOT / "docs" / "pictures").glob("*.png")}
