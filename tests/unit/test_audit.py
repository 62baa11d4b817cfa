"""What `make audit` makes of a report: silence of the index is not taken for a clean bill."""

from tests.audit import NONE_KNOWN, UNKNOWN, VULNERABLE, verdict

CLEAN = {"name": "lark", "version": "1.3.1", "vulns": []}
SKIPPED = {"name": "numba", "skip_reason": "Dependency not found on PyPI"}
HOLED = {
    "name": "pillow",
    "version": "11.0.0",
    "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["11.3.0"]}, {"id": "PYSEC-2026-2", "fix_versions": []}],
}


def test_all_were_asked_and_none_is_vulnerable() -> None:
    assert verdict({"dependencies": [CLEAN]}) == (NONE_KNOWN, ["1 packages were asked for."])


def test_each_vulnerability_is_named_with_its_mending() -> None:
    code, lines = verdict({"dependencies": [CLEAN, HOLED, SKIPPED]})
    assert code == VULNERABLE
    assert lines[:2] == [
        "pillow 11.0.0: PYSEC-2026-1, mended in 11.3.0",
        "pillow 11.0.0: PYSEC-2026-2, mended in no version yet",
    ]
    assert "1 of 3 packages" in lines[2]


def test_what_could_not_be_asked_is_no_success() -> None:
    code, lines = verdict({"dependencies": [CLEAN, SKIPPED]})
    assert code == UNKNOWN
    assert "1 of 2 packages cannot be reached (numba)" in lines[0]
