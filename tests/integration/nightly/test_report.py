"""What people read of a night: whether it was as usual, and what became of its rows."""

from datetime import date, timedelta
from html.parser import HTMLParser

import numpy as np
import pytest
from django.utils import translation

from matching.models import NightlyRun
from matching.nightly.report import as_html, report
from matching.nightly.tally import Tally
from matching.nightly.usual_range import Night, alerts, nights_before, usual
from schema_registry.accounts.models import User
from tests.integration.following import NOW
from tests.integration.nightly.nights import a_night

USUAL = [Night(rows=1_000 + 10 * number, rejected=20 + number) for number in range(7)]


class TestUsualRange:
    @pytest.mark.parametrize(
        ("tonight", "said"),
        [
            (Night(1_030, 22), []),
            (Night(1_300, 30), []),
            (Night(100, 2), ["There were 100 rows; usually there are 721 to 1,339."]),
            (Night(0, 0), ["There were 0 rows; usually there are 721 to 1,339."]),
            (Night(9_000, 180), ["There were 9,000 rows; usually there are 721 to 1,339."]),
            (Night(1_000, 300), ["30.0% of the rows were rejected; usually it is 0.2% to 4.2%."]),
        ],
    )
    def test_what_leaves_it_is_told(self, tonight: Night, said: list[str]) -> None:
        assert alerts(tonight, USUAL) == said

    def test_a_few_nights_make_no_custom(self) -> None:
        assert alerts(Night(9_999, 9_999), USUAL[:4]) == []

    def test_one_odd_night_does_not_change_it(self) -> None:
        odd = [*USUAL, Night(1_000_000, 900_000)]
        assert alerts(Night(1_030, 22), odd) == []
        assert len(alerts(Night(9_000, 9_000), odd)) == 2

    def test_nights_that_differ_widely_have_a_wide_one(self) -> None:
        low, high = usual([10, 50, 90, 130, 170], least=1)
        assert low < 0
        assert high > 300

    @pytest.mark.django_db
    def test_the_last_loaded_nights_of_the_site_are_what_is_usual(self, owner: User) -> None:
        for days in range(20):
            a_night(date(2026, 11, 1) + timedelta(days=days), rows=days)
        a_night(date(2026, 11, 2), site="other", rows=7)
        NightlyRun.objects.filter(site="lots", date=date(2026, 11, 18)).update(state="failed")
        run = NightlyRun.objects.get(site="lots", date=date(2026, 11, 20))
        assert [night.rows for night in nights_before(run)] == [18, *range(16, 3, -1)]


def test_the_tally_knows_who_has_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matching.nightly.tally._COUNTED_AT_ONCE", 3)
    tally = Tally()
    for ids in ([1, 2, 3], [2, 3], [3], [], [9, 9]):
        tally.add([np.array(ids, np.int64)])
    assert tally.top(3) == [(3, 3), (2, 2), (9, 2)]
    assert Tally().top(3) == []


class Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data.split()


@pytest.mark.django_db
class TestReport:
    def test_it_has_the_facts_with_their_shares(self, owner: User) -> None:
        said = report(a_night(date(2026, 11, 16)))
        assert said.title == "lots on 2026-11-16"
        assert said.counts[:3] == [("files", "3"), ("quarantined files", "1"), ("rows", "1,000")]
        assert ("matches recorded", "4,000") in said.loaded
        assert [(bar.label, bar.figure, bar.share, bar.note) for bar in said.stages] == [
            ("match", "4.0 s", 100.0, "1,000 rows, 250 a second"),
            ("load", "1.0 s", 25.0, "900 rows, 900 a second"),
            ("of a later version", "0.0 s", 0.0, "0 rows, - a second"),
        ]
        assert [(bar.label, bar.figure, bar.share) for bar in said.rejects] == [("R2 price", "75", 75.0)]
        assert said.quarantined == [("cut.jsonl.gz", "It is cut.")]
        assert [(bar.label, bar.share) for bar in said.top_matches] == [
            ("search 7", 100.0),
            ("search 9", 50.0),
        ]
        assert said.seconds == 60

    def test_what_was_wrong_is_said_in_the_language_of_who_reads_it(self, owner: User) -> None:
        night = a_night(date(2026, 11, 16))
        night.problem = "It was stopped."
        night.alerts = [
            "12.3% of the rows were rejected; usually it is 0.0% to 5.0%.",
            "It was odd.",
        ]
        assert (report(night).problem, report(night).alerts) == (night.problem, night.alerts)
        with translation.override("fr"):
            said = report(night)
        assert said.problem == "Le traitement a été arrêté."
        assert said.alerts[0].startswith("12,3\xa0% des lignes ont été refusées")
        assert said.alerts[1] == "It was odd."

    def test_what_was_loaded_the_last_time_is_not_said_of_one_that_is_done_again(self, owner: User) -> None:
        run = a_night(date(2026, 11, 16))
        run.state = NightlyRun.State.FAILED
        assert report(run).loaded == []

    def test_one_that_has_only_begun_has_little_to_say(self, owner: User) -> None:
        run = NightlyRun(site="lots", date=date(2026, 11, 16), began_at=NOW)
        said = report(run)
        assert (said.counts, said.stages, said.rejects, said.seconds) == ([], [], [], None)
        assert "<h1>lots on 2026-11-16</h1>" in as_html(run)

    def test_as_a_file_it_needs_nothing_else_and_what_came_from_outside_is_escaped(self, owner: User) -> None:
        run = a_night(date(2026, 11, 16))
        run.rejects[0]["message"] = "<script>alert(1)</script>"
        html = as_html(run)
        assert "&lt;script&gt;" in html
        page = Words()
        page.feed(html)
        assert not {"script", "link", "img"} & set(page.tags)
        assert {"cut.jsonl.gz", "4,000", "loaded"} <= set(page.words)
