"""`python -m tests.audit`, behind `make audit`: have the packages that we pin known vulnerabilities?

pip-audit asks the Python Package Index for the advisories of each; a mirror often has the packages and not
these, and pip-audit then says that it knows of no vulnerabilities. So what could not be asked is told here,
and is no success: exit code 0 means that all were asked and none is vulnerable, 1 that some are, 2 that it
is not known.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.running_system import ROOT

PIP_AUDIT = Path(sys.executable).with_name("pip-audit")
NONE_KNOWN, VULNERABLE, UNKNOWN = range(3)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "audit.json"
        pinned = ["--requirement", str(ROOT / "requirements.lock"), "--require-hashes", "--disable-pip"]
        result = ["--progress-spinner", "off", "--format", "json", "--output", str(file)]
        done = subprocess.run([PIP_AUDIT, *pinned, *result], capture_output=True, text=True)
        if not file.exists():
            reason = (done.stderr.strip() or "it said nothing").splitlines()[-1]
            print(f"The advisories cannot be reached: {reason}")
            return UNKNOWN
        code, lines = verdict(json.loads(file.read_text()))
    print("\n".join(lines))
    return code


def verdict(report: dict[str, Any]) -> tuple[int, list[str]]:
    """The exit code for a report of pip-audit, and what to say."""
    packages = report["dependencies"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    lines = [
        f"{package['name']} {package['version']}: {found['id']}, mended in "
        + (", ".join(found["fix_versions"]) or "no version yet")
        for package in packages
        for found in package.get("vulns", ())
    ]
    code = VULNERABLE if lines else UNKNOWN if skipped else NONE_KNOWN
    if skipped:
        some = ", ".join(skipped[:5]) + (", ..." if len(skipped) > 5 else "")
        lines.append(
            f"The advisories of {len(skipped)} of {len(packages)} packages cannot be reached ({some}):"
            " whether these are vulnerable is not known. Run this where the package index has them."
        )
    asked = len(packages) - len(skipped)
    if asked:
        lines.append(f"{asked} packages were asked for.")
    return code, lines


if __name__ == "__main__":
    sys.exit(main())
