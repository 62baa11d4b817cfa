"""A person's data: taking it along, and deleting the account with all that belongs to it."""

import io
import json
import re
import tracemalloc
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lesubscribe import account_deletion, account_export
from matching import services
from matching.models import DailyCount, Feed, Match, PublishedEvent, Subscription, SubscriptionChange
from notifications import terms
from notifications.core.policy import Frequency
from notifications.models import Attempt, Channel, Delivery, Entry, Preferences, Terms
from schema_registry.accounts import deletion
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named
from tests.integration.collector import NOW, Collector, item, match

pytestmark = pytest.mark.django_db
PASSWORD = "a table of oak, please"
MOST_QUERIES = 10


@pytest.fixture
def collector() -> Collector:
    """Somebody who has one of everything."""
    collector = Collector()
    collector.user.set_password(PASSWORD)
    collector.user.save()
    EmailAddress.objects.create(user=collector.user, email=collector.user.email, verified=True, primary=True)
    search = collector.searches(name="Tables")
    terms.choose(search, frequency=Frequency.DAILY, channels=[collector.channel.pk])
    told = collector.is_told((item(title="Oak <table>"), search), state="delivered", attempts=1)
    Attempt.objects.create(delivery=told, number=1, began_at=NOW, milliseconds=5, is_success=True)
    DailyCount.objects.create(subscription=search, day=NOW.date(), count=1)
    Feed.objects.create(owner=collector.user, last_number=1)
    Preferences.objects.create(owner=collector.user, time_zone="Europe/Paris", feed_nonce="a-secret-nonce")
    issue_key(collector.user, [Scope.SUBSCRIPTIONS], name="mine")
    return collector


@pytest.fixture
def other() -> User:
    return User.objects.create_user("other@example.org")


def archive(owner: User) -> dict[str, Any]:
    whole = b"".join(account_export.exported(owner, now=NOW))
    with zipfile.ZipFile(io.BytesIO(whole)) as files:
        assert files.testzip() is None
        return {name: json.loads(files.read(name)) for name in files.namelist()}


class TestExport:
    def test_it_has_all_that_is_stored_and_no_secret(self, collector: Collector) -> None:
        files = archive(collector.user)
        (account,) = files["account.json"]
        assert (account["email"], account["preferences"]["time_zone"]) == (
            collector.user.email,
            "Europe/Paris",
        )
        assert [key["name"] for key in account["keys"]] == ["mine"]
        (search,) = files["searches.json"]
        assert (search["name"], search["frequency"], search["channels"]) == (
            "Tables",
            "daily",
            [collector.channel.pk],
        )
        assert files["matches.json"][0]["title"] == "Oak <table>"
        assert files["deliveries.json"][0]["log"][0]["is_success"] is True
        said = json.dumps(files)
        assert collector.channel.secret not in said
        assert "a-secret-nonce" not in said

    def test_another_person_has_none_of_it(self, collector: Collector, other: User) -> None:
        files = archive(other)
        assert [files[f"{name}.json"] for name in ("searches", "channels", "matches", "deliveries")] == [
            []
        ] * 4

    def test_it_is_downloaded_by_its_owner_only(self, client: Client, collector: Collector) -> None:
        assert client.get("/account/export").headers["Location"].startswith("/accounts/login/")
        client.force_login(collector.user)
        answer = client.get("/account/export")
        assert answer.headers["Content-Disposition"].startswith('attachment; filename="le-subscribe-')
        with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as files:
            assert "matches.json" in files.namelist()

    def test_it_takes_no_more_memory_for_more_matches(self, collector: Collector) -> None:
        few = peak_of_export(collector.user)
        find_many(collector, 3_000)
        assert peak_of_export(collector.user) < few + 3_000_000


def peak_of_export(owner: User) -> int:
    tracemalloc.start()
    for _piece in account_export.exported(owner, now=NOW):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def find_many(collector: Collector, count: int) -> None:
    search = Subscription.objects.get(owner=collector.user)
    shape = PublishedEvent.objects.first()
    assert shape is not None
    events = PublishedEvent.objects.bulk_create(
        PublishedEvent(
            publisher_id=shape.publisher_id,
            external_id=f"many-{number}",
            revision=1,
            schema_version=shape.schema_version,
            document=shape.document,
            title=f"Table {number}",
            accepted_at=NOW,
            state="matched",
        )
        for number in range(count)
    )
    Match.objects.bulk_create(
        Match(event=event, subscription=search, owner=collector.user, matched_at=NOW) for event in events
    )


class TestDeletion:
    def test_it_is_over_at_once_for_the_person(self, client: Client, collector: Collector) -> None:
        client.force_login(collector.user)
        before = last_sequence()
        account_deletion.delete(collector.user, now=NOW)
        assert client.get("/account").status_code == 302
        assert not client.login(email="collector@example.org", password=PASSWORD)
        assert not Channel.objects.exclude(state="disabled").exists()
        assert not Subscription.objects.exclude(state="removed").exists()
        (change,) = SubscriptionChange.objects.filter(sequence__gt=before)
        assert not change.is_matched
        (letter,) = mail.outbox
        assert (letter.to, letter.subject) == (["collector@example.org"], "Your account is deleted")
        User.objects.create_user("collector@example.org")  # the address is free again

    def test_the_rest_is_erased_after_a_while_and_nothing_of_others(
        self, collector: Collector, other: User
    ) -> None:
        theirs = services.subscribe(other, "price <= 5", now=NOW).subscription
        match(item("theirs"), theirs)
        account_deletion.delete(collector.user, now=NOW)
        assert not account_deletion.erase(now=NOW + timedelta(minutes=9))
        assert Match.objects.filter(owner=collector.user).exists()
        assert not account_deletion.erase(now=NOW + timedelta(minutes=11))
        assert list(User.objects.filter(publisher=None)) == [other]
        for model in (Channel, Delivery, Attempt, Entry, Terms, Preferences, Feed, DailyCount):
            assert not model._default_manager.exists(), model
        assert list(Subscription.objects.all()) == [theirs]
        assert Match.objects.count() == 1

    def test_stopped_anywhere_it_goes_on_where_it_was(self, collector: Collector) -> None:
        find_many(collector, 950)
        account_deletion.delete(collector.user, now=NOW)
        later = NOW + timedelta(hours=1)
        runs = 1
        while account_deletion.erase(now=later, seconds=0):
            runs += 1
        assert runs > 10
        assert not User.objects.filter(publisher=None).exists()
        assert not Match.objects.exists()

    def test_no_transaction_of_it_is_large(self, collector: Collector) -> None:
        find_many(collector, 1_200)
        account_deletion.delete(collector.user, now=NOW)
        with CaptureQueriesContext(connection) as queries:
            account_deletion.erase(now=NOW + timedelta(hours=1))
        deleting = [query["sql"] for query in queries if query["sql"].startswith("DELETE")]
        assert deleting
        assert max(sql.count(",") for sql in deleting) < 500

    def test_a_publishers_and_the_last_staff_account_stay(self, collector: Collector) -> None:
        house = publisher_named("A house", state=Publisher.State.APPROVED).user
        User.objects.filter(pk=collector.user.pk).update(is_staff=True)
        for user in (house, User.objects.get(pk=collector.user.pk)):
            with pytest.raises(deletion.MayNotBeDeleted):
                account_deletion.delete(user, now=NOW)
        assert Channel.objects.get().state == "active"
        assert mail.outbox == []
        User.objects.create_superuser("next@example.org")
        account_deletion.delete(User.objects.get(pk=collector.user.pk), now=NOW)

    def test_what_staff_did_stays_in_the_log_without_their_name(self, collector: Collector) -> None:
        LogEntry.objects.create(user=collector.user, action_flag=2, object_repr="x")
        account_deletion.delete(collector.user, now=NOW)
        account_deletion.erase(now=NOW + timedelta(hours=1))
        kept = LogEntry.objects.get().user
        assert kept.email.endswith("@accounts.invalid")
        assert not kept.is_active
        assert not Match.objects.exists()
        assert not deletion.to_erase(before=NOW + timedelta(days=1))


class TestPages:
    def test_deleting_asks_for_the_password_and_the_address(
        self, client: Client, collector: Collector
    ) -> None:
        client.force_login(collector.user)
        asked = client.get("/account/delete")
        assert asked.headers["Location"].startswith("/accounts/reauthenticate/")
        client.post(asked.headers["Location"], {"password": PASSWORD})
        page = client.get("/account/delete").content.decode()
        assert "1 search" in page
        assert "cannot be undone" in page
        page = client.post("/account/delete", {"address": "wrong@example.org"}).content.decode()
        assert "This is not the address of your account" in page
        assert User.objects.get(pk=collector.user.pk).is_active
        done = client.post("/account/delete", {"address": " Collector@example.org "}, follow=True)
        assert "Your account is deleted" in done.content.decode()
        assert not User.objects.get(pk=collector.user.pk).is_active

    def test_the_account_page_leads_to_all_that_can_be_changed(
        self, client: Client, collector: Collector
    ) -> None:
        client.force_login(collector.user)
        page = client.get("/account").content.decode()
        for path in ("/accounts/email/", "/accounts/password/change/", "/account/export", "/account/delete"):
            assert f'href="{path}"' in page
        assert "Europe/Paris" in page

    def test_the_account_page_takes_the_same_few_queries_however_much_there_is(
        self, client: Client, collector: Collector
    ) -> None:
        def queries() -> int:
            with CaptureQueriesContext(connection) as asked:
                assert client.get("/account").status_code == 200
            return len(asked)

        client.force_login(collector.user)
        client.get("/account")
        few = queries()
        for number in range(5):
            search = collector.searches(name=f"Another {number}")
            collector.is_told((item(f"lot {number}"), search), state="delivered")
            collector.adds_channel(f"box{number}@example.org")
        assert queries() == few <= MOST_QUERIES

    def test_after_signing_up_and_confirming_one_lands_in_the_feed(self, client: Client) -> None:
        client.post("/accounts/signup/", {"email": "new@example.org", "password1": PASSWORD})
        link = re.search(r"http://\S+?(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
        assert link
        assert client.post(link[1]).headers["Location"] == "/feed"
        assert client.get("/account").status_code == 200


def last_sequence() -> int:
    return SubscriptionChange.objects.order_by("-sequence").values_list("sequence", flat=True)[0]


def test_a_visitor_is_asked_to_sign_in(client: Client) -> None:
    for path in ("/account", "/account/export", "/account/delete"):
        assert client.get(path).headers["Location"].startswith("/accounts/login/")
