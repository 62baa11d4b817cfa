"""`make bench` prints the machine, the figures of the core, and a table for each workload."""

import pytest

from benchmarks import __main__ as command
from benchmarks import core_figures
from matching import registry

TWO = ("engine", "naive")


def test_every_matcher_has_a_row_for_each_workload(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, little in {"SUBSCRIPTIONS": 50, "EVENTS": 2, "SECONDS": 1, "WORKLOADS": ("auction",)}.items():
        monkeypatch.setattr(command, name, little)
    monkeypatch.setattr(core_figures, "figures", lambda: {"parses in ms": 1.5})
    monkeypatch.setattr(registry, "algorithms", lambda: TWO)
    monkeypatch.setattr(command, "BASELINES", ())
    command.main()
    said = capsys.readouterr().out
    assert "commit" in said
    assert "parses in ms" in said
    assert "auction, 50 subscriptions" in said
    assert [name for name in TWO if name not in said] == []
