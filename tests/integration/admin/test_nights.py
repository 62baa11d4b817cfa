"""Mappings of sites and nightly runs in the administration."""

import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from matching.models import NightlyRun, SiteMapping
from schema_registry.accounts.models import Publisher, User
from tests.integration.admin.pages import text
from tests.integration.lots import make_lots
from tests.integration.nightly.nights import MAPPING, a_night, house, site_mapping

pytestmark = pytest.mark.django_db

ROWS = '{"id": "1", "name": "A lamp", "price": "5"}\n{"id": "2", "price": "five"}\n{broken\n'


@pytest.fixture(autouse=True)
def lots(db: None) -> None:
    make_lots()


@pytest.fixture
def publisher() -> Publisher:
    return house()


def address(model: str, view: str, *args: Any) -> str:
    return reverse(f"admin:matching_{model}_{view}", args=args)


def entered(publisher: Publisher, **changes: Any) -> dict[str, Any]:
    return {"site": "lots", "publisher": publisher.pk, "document": json.dumps(MAPPING), **changes}


def staff_who_may(*codenames: str) -> User:
    user = User.objects.create_user("some@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


class TestMappings:
    def test_adding_one_is_noted_and_changing_it_makes_the_next_version(
        self, page: Client, staff: User, publisher: Publisher
    ) -> None:
        page.post(address("sitemapping", "add"), entered(publisher, why="a new site"))
        first = SiteMapping.objects.get()
        assert (first.site, first.version, first.publisher, first.document) == (
            "lots",
            1,
            publisher,
            MAPPING,
        )
        changed = {**MAPPING, "title": {"field": "title"}}
        where = address("sitemapping", "change", first.pk)
        assert '"external_id"' in text(page.get(where))
        page.post(where, entered(publisher, document=json.dumps(changed), why="they renamed it"))
        second = SiteMapping.objects.get(version=2)
        assert second.document == changed
        first.refresh_from_db()
        assert first.document == MAPPING
        notes = LogEntry.objects.order_by("pk")
        assert [(entry.get_edited_object(), entry.get_change_message()) for entry in notes] == [
            (first, "Version 1. a new site"),
            (second, "Version 2. they renamed it"),
        ]

    def test_older_versions_are_only_to_look_at(self, page: Client, publisher: Publisher) -> None:
        old = site_mapping()
        new = site_mapping(title={"field": "title"})
        where = address("sitemapping", "change", old.pk)
        shown = page.get(where)
        assert '"external_id"' in text(shown)
        assert b"<textarea" not in shown.content
        assert page.post(where, entered(publisher)).status_code == 403
        assert page.post(address("sitemapping", "delete", new.pk), {"post": "yes"}).status_code == 403
        assert SiteMapping.objects.count() == 2

    def test_the_list_has_the_newest_unless_all_are_asked_for(self, page: Client) -> None:
        old = site_mapping()
        new = site_mapping(title={"field": "title"})
        where = address("sitemapping", "changelist")
        assert list(page.get(where).context["cl"].result_list) == [new]
        assert list(page.get(f"{where}?versions=all").context["cl"].result_list) == [new, old]
        assert "the newest" in text(page.get(where))

    def test_a_file_can_be_taken_along_and_given_back(self, page: Client, publisher: Publisher) -> None:
        mapping = site_mapping()
        answer = page.get(address("sitemapping", "export", mapping.pk))
        assert answer["Content-Disposition"] == 'attachment; filename="lots-v1.json"'
        assert json.loads(answer.content) == MAPPING
        file = SimpleUploadedFile("other.json", answer.content)
        other = house("Another house")
        page.post(address("sitemapping", "add"), entered(other, site="other", document="{}", file=file))
        assert SiteMapping.objects.get(site="other").document == MAPPING

    def test_two_sites_cannot_have_one_publisher(self, page: Client, publisher: Publisher) -> None:
        site_mapping()
        answer = page.post(address("sitemapping", "add"), entered(publisher, site="other"))
        assert "House is the publisher of the site lots." in text(answer)
        assert SiteMapping.objects.count() == 1

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"document": ""}, "Write the mapping here, or choose a file."),
            ({"document": "{"}, "This is not JSON"),
            ({"document": "[]"}, "This must be an object"),
            ({"document": '{"atributes": {}}'}, "external_id: This is required."),
            ({"file": b"\xff\xfe"}, "This file is not UTF-8."),
            ({"file": b" " * 1_000_001}, "The file is too large."),
            ({"site": "not a slug"}, "valid “slug”"),
        ],
    )
    def test_one_that_cannot_be_is_refused_on_the_form(
        self, page: Client, publisher: Publisher, changes: dict[str, Any], sentence: str
    ) -> None:
        if "file" in changes:
            changes = {"file": SimpleUploadedFile("mapping.json", changes["file"])}
        answer = page.post(address("sitemapping", "add"), entered(publisher, **changes))
        assert sentence in text(answer)
        assert not SiteMapping.objects.exists()

    def test_who_may_only_look_changes_nothing(self, client: Client, publisher: Publisher) -> None:
        mapping = site_mapping()
        client.force_login(staff_who_may("view_sitemapping"))
        assert client.get(address("sitemapping", "add")).status_code == 403
        assert client.get(address("sitemapping", "export", mapping.pk)).status_code == 200
        shown = client.get(address("sitemapping", "change", mapping.pk))
        assert b"<textarea" not in shown.content
        assert (
            client.post(address("sitemapping", "change", mapping.pk), entered(publisher)).status_code == 403
        )

    def test_those_without_rights_see_nothing(self, client: Client) -> None:
        mapping = site_mapping()
        client.force_login(staff_who_may())
        for view in ("export", "try", "change"):
            assert client.get(address("sitemapping", view, mapping.pk)).status_code == 403
            assert client.get(address("sitemapping", view, 999)).status_code in (403, 302)


class TestTrying:
    def test_pasted_rows_are_shown_before_and_after_with_the_reasons_by_count(self, page: Client) -> None:
        where = address("sitemapping", "try", site_mapping().pk)
        assert "Nothing is stored" in text(page.get(where))
        shown = text(page.post(where, {"rows": ROWS}))
        assert "rows 3 events 1 duplicates 0 rejected rows 2" in shown
        assert '"title": "A lamp"' in shown
        assert "mapping price 1" in shown
        assert "corrupt" in shown
        assert not LogEntry.objects.exists()

    def test_csv_is_known_by_not_being_json(self, page: Client) -> None:
        where = address("sitemapping", "try", site_mapping().pk)
        shown = text(page.post(where, {"rows": "id,name,price\r\n1,Lamp,5\r\n"}))
        assert "rows 1 events 1" in shown

    @pytest.mark.parametrize("name", ["2026-11-16/lots.jsonl", "2026-11-16/lots.jsonl.gz"])
    def test_a_file_of_the_site_is_read(
        self, page: Client, tmp_path: Path, settings: Settings, name: str
    ) -> None:
        settings.FEEDS = tmp_path
        file = tmp_path / "lots" / name
        file.parent.mkdir(parents=True)
        file.write_bytes(gzip.compress(ROWS.encode()) if name.endswith(".gz") else ROWS.encode())
        where = address("sitemapping", "try", site_mapping().pk)
        assert "rows 3 events 1" in text(page.post(where, {"file": name}))

    @pytest.mark.parametrize(
        "name",
        ["../other/lots.jsonl", "/etc/passwd", "nothing.jsonl", ".", "a\0b", "../lots-2/x.jsonl", "x" * 290],
    )
    def test_no_other_file_is(self, page: Client, tmp_path: Path, settings: Settings, name: str) -> None:
        settings.FEEDS = tmp_path
        for folder in ("lots", "other", "lots-2"):
            (tmp_path / folder).mkdir()
        (tmp_path / "other" / "lots.jsonl").write_text(ROWS)
        (tmp_path / "lots-2" / "x.jsonl").write_text(ROWS)
        answer = page.post(address("sitemapping", "try", site_mapping().pk), {"file": name})
        assert answer.context["trial"] is None
        assert answer.context["form"].errors["file"]

    def test_a_file_that_is_cut_or_of_another_kind_is_told(
        self, page: Client, tmp_path: Path, settings: Settings
    ) -> None:
        settings.FEEDS = tmp_path
        (tmp_path / "lots").mkdir()
        (tmp_path / "lots" / "cut.jsonl.gz").write_bytes(gzip.compress(ROWS.encode() * 1_000)[:60])
        (tmp_path / "lots" / "a.parquet").write_bytes(b"PAR1")
        where = address("sitemapping", "try", site_mapping().pk)
        assert "perhaps it is cut" in text(page.post(where, {"file": "cut.jsonl.gz"}))
        assert "perhaps it is cut" in text(page.post(where, {"file": "a.parquet"}))
        (tmp_path / "lots" / "a.txt").write_bytes(b"?")
        assert "Only JSON Lines, CSV and Parquet" in text(page.post(where, {"file": "a.txt"}))

    def test_parquet_is_read_too(self, page: Client, tmp_path: Path, settings: Settings) -> None:
        settings.FEEDS = tmp_path
        (tmp_path / "lots").mkdir()
        rows = {"id": [1, 2], "name": ["A lamp", None], "price": [5.0, 12_000_000.0]}
        pq.write_table(pa.table(rows), tmp_path / "lots" / "a.parquet")
        shown = text(page.post(address("sitemapping", "try", site_mapping().pk), {"file": "a.parquet"}))
        assert "rows 2 events 1" in shown
        assert '"price": "1.2E7"' in shown

    def test_a_row_that_cannot_be_read_is_rejected(self, page: Client) -> None:
        row = json.dumps({"id": "1", "name": f"&#{'1' * 5_000};", "price": "5"})
        shown = text(page.post(address("sitemapping", "try", site_mapping().pk), {"rows": row}))
        assert "stands for no character" in shown

    def test_a_bomb_is_read_no_further_than_a_page_needs(
        self, page: Client, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("matching.admin.trying.MOST_READ", 1_000)
        settings.FEEDS = tmp_path
        (tmp_path / "lots").mkdir()
        (tmp_path / "lots" / "bomb.jsonl.gz").write_bytes(gzip.compress(b" x" * 1_000_000))
        shown = text(page.post(address("sitemapping", "try", site_mapping().pk), {"file": "bomb.jsonl.gz"}))
        assert "rows 1 events 0" in shown

    @pytest.mark.parametrize("sent", [{}, {"rows": " "}, {"rows": ROWS, "file": "x.jsonl"}])
    def test_one_of_both_is_needed(self, page: Client, sent: dict[str, str]) -> None:
        shown = text(page.post(address("sitemapping", "try", site_mapping().pk), sent))
        assert "Paste some rows, or name a file." in shown


class TestRuns:
    def test_the_list_and_the_page_tell_what_became_of_them(self, page: Client) -> None:
        run = a_night(date(2026, 11, 16))
        NightlyRun.objects.update(alerts=["There were 9 rows."], problem="It stumbled.")
        assert "lots on 2026-11-16 loaded 1 1,000 100 900" in text(
            page.get(address("nightlyrun", "changelist"))
        )
        answer = page.get(address("nightlyrun", "change", run.pk))
        shown = text(answer)
        for said in ("There were 9 rows.", "It stumbled.", "It has no price.", "cut.jsonl.gz", "search 7"):
            assert said in shown
        assert b"style=" not in answer.content
        assert b'<rect width="50.0" height="8"/>' in answer.content
        assert reverse("admin:matching_subscription_change", args=[7]).encode() in answer.content

    def test_they_are_found_by_site_state_and_date(self, page: Client) -> None:
        run, other = a_night(date(2026, 11, 16)), a_night(date(2026, 11, 17), site="other")
        NightlyRun.objects.filter(pk=other.pk).update(state="failed")
        where = address("nightlyrun", "changelist")
        for query, found in {
            "": [other, run],
            "?site=lots": [run],
            "?state__exact=failed": [other],
            "?q=lot": [run],
            "?date__gte=2026-11-17": [other],
        }.items():
            assert list(page.get(where + query).context["cl"].result_list) == found, query

    def test_the_report_can_be_taken_along(self, page: Client) -> None:
        run = a_night(date(2026, 11, 16))
        answer = page.get(address("nightlyrun", "report", run.pk))
        assert answer["Content-Disposition"] == 'attachment; filename="lots-2026-11-16.html"'
        assert answer.content.startswith(b"<!doctype html>")
        assert page.get(address("nightlyrun", "report", 999)).status_code == 404

    def test_nothing_is_added_changed_or_deleted(self, page: Client) -> None:
        run = a_night(date(2026, 11, 16))
        assert page.get(address("nightlyrun", "add")).status_code == 403
        assert page.post(address("nightlyrun", "change", run.pk), {"site": "x"}).status_code == 403
        assert page.post(address("nightlyrun", "delete", run.pk), {"post": "yes"}).status_code == 403

    def test_who_may_not_see_searches_gets_no_links_to_them(self, client: Client) -> None:
        run = a_night(date(2026, 11, 16))
        client.force_login(staff_who_may("view_nightlyrun"))
        shown = client.get(address("nightlyrun", "change", run.pk)).content
        assert reverse("admin:matching_subscription_change", args=[7]).encode() not in shown
