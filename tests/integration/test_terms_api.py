"""REST for the terms of subscriptions, for preferences, and for the addresses of feeds."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from matching.models import Subscription
from notifications import channels
from notifications.models import Preferences, Terms
from schema_registry import services as schema_services
from schema_registry.accounts import languages
from schema_registry.accounts.models import User
from tests.integration.callers import Call, caller, key_of

pytestmark = pytest.mark.django_db

BY_STAFF = schema_services.Author(None)
HOOK = "https://shop.example.org/hook"


@pytest.fixture(autouse=True)
def schema() -> None:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")


@pytest.fixture
def call(client: Client) -> Call:
    return caller(client, key=key_of("reader@example.org"))


@pytest.fixture
def hook(call: Call) -> int:
    """An active channel."""
    number = int(call("POST", "channels", {"kind": "webhook", "address": HOOK}).json()["id"])
    channels.activate(number, now=timezone.now())
    return number


class TestTermsOfSubscriptions:
    def test_without_any_it_tells_at_once_on_every_channel(self, call: Call) -> None:
        number = call("POST", "subscriptions", {"text": "price < 5"}).json()["id"]
        for shown in (
            call("GET", f"subscriptions/{number}").json(),
            call("GET", "subscriptions").json()["results"][0],
        ):
            assert (shown["frequency"], shown["revisions"], shown["channels"]) == ("at_once", "once", "all")
        assert not Terms.objects.exists()

    def test_they_are_chosen_with_the_subscription_and_changed_later(self, call: Call, hook: int) -> None:
        number = call(
            "POST",
            "subscriptions",
            {"text": "price < 5", "frequency": "daily", "revisions": "price_drop", "channels": [hook]},
        ).json()["id"]
        path = f"subscriptions/{number}"
        shown = call("GET", path).json()
        assert (shown["frequency"], shown["revisions"], shown["channels"]) == ("daily", "price_drop", [hook])
        changed = call("PATCH", path, {"frequency": "weekly", "name": "Cheap"}).json()
        assert (changed["frequency"], changed["name"], changed["channels"]) == ("weekly", "Cheap", [hook])
        assert changed["warnings"] == []
        assert call("PATCH", path, {"channels": []}).json()["channels"] == []
        assert call("PATCH", path, {"channels": "all"}).json()["channels"] == "all"
        assert call("POST", path + "/renew", {}).json()["frequency"] == "weekly"

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"frequency": "often"}, "frequency"),
            ({"frequency": 5}, "frequency"),
            ({"frequency": None}, "frequency"),
            ({"revisions": "never"}, "revisions"),
            ({"channels": "none"}, "channels"),
            ({"channels": 5}, "channels"),
            ({"channels": None}, "channels"),
            ({"channels": ["1"]}, "channels"),
            ({"channels": [True]}, "channels"),
            ({"channels": [0]}, "channels"),
            ({"channels": [2**70]}, "channels"),
            ({"channels": list(range(1, 2_000))}, "channels"),
            ({"channels": [999_999]}, "channels"),
            ({"colour": "red"}, "colour"),
        ],
    )
    def test_those_that_cannot_be_leave_and_change_nothing(
        self, call: Call, fields: dict[str, Any], field: str
    ) -> None:
        answer = call("POST", "subscriptions", {"text": "price < 5", **fields})
        assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
        assert [error["field"] for error in answer.json()["errors"]] == [field]
        assert not Subscription.objects.exists()
        number = call("POST", "subscriptions", {"text": "price < 5"}).json()["id"]
        before = call("GET", f"subscriptions/{number}").json()
        assert call("PATCH", f"subscriptions/{number}", {"name": "x", **fields}).status_code == 422
        assert call("GET", f"subscriptions/{number}").json() == before

    def test_a_foreign_channel_answers_like_a_missing_one(self, call: Call) -> None:
        stranger = key_of("stranger@example.org")
        foreign = call("POST", "channels", {"kind": "webhook", "address": HOOK}, key=stranger).json()["id"]
        answers = [
            call("POST", "subscriptions", {"text": "price < 5", "channels": [channel]}).json()
            for channel in (foreign, 999_999)
        ]
        assert [answer["status"] for answer in answers] == [422, 422]
        assert answers[0]["detail"].replace(str(foreign), "N") == answers[1]["detail"].replace("999999", "N")

    def test_a_page_of_them_takes_few_queries(
        self, call: Call, hook: int, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(10):
            call("POST", "subscriptions", {"text": "price < 5", "channels": [hook]})
        with django_assert_max_num_queries(8):
            call("GET", "subscriptions")


class TestPreferences:
    def test_the_usual_ones_are_shown_and_changed(self, call: Call) -> None:
        usual = {
            "time_zone": "UTC",
            "quiet_from": None,
            "quiet_until": None,
            "digest_at": "08:00",
            "digest_weekday": "monday",
            "language": None,
        }
        assert call("GET", "preferences").json() == usual
        chosen = {
            "time_zone": "Europe/Paris",
            "quiet_from": "22:00",
            "quiet_until": "07:30",
            "digest_at": "18:05",
            "digest_weekday": "sunday",
            "language": "fr",
        }
        assert call("PATCH", "preferences", chosen).json() == chosen
        assert call("PATCH", "preferences", {"quiet_from": None, "quiet_until": None}).status_code == 200
        assert call("GET", "preferences").json() == {**chosen, "quiet_from": None, "quiet_until": None}

    def test_the_language_is_that_of_the_account_and_can_be_given_up(self, call: Call) -> None:
        reader = User.objects.get(email="reader@example.org")
        languages.choose(reader, "fr")
        assert call("GET", "preferences").json()["language"] == "fr"
        assert call("PATCH", "preferences", {"digest_at": "09:00"}).json()["language"] == "fr"
        assert call("PATCH", "preferences", {"language": "en"}).json()["language"] == "en"
        reader.refresh_from_db()
        assert reader.language == "en"
        assert call("PATCH", "preferences", {"language": None}).json()["language"] is None
        reader.refresh_from_db()
        assert reader.language == ""

    @pytest.mark.parametrize(
        ("document", "field"),
        [
            ({"language": "de"}, "language"),
            ({"language": ""}, "language"),
            ({"language": ["fr"]}, "language"),
            ({"time_zone": "Europe/Pari"}, "time_zone"),
            ({"time_zone": 5}, "time_zone"),
            ({"time_zone": None}, "time_zone"),
            ({"time_zone": "x" * 3_000}, "time_zone"),
            ({"quiet_from": "22:00"}, "quiet_until"),
            ({"quiet_from": "25:00", "quiet_until": "06:00"}, "quiet_from"),
            ({"quiet_from": 22, "quiet_until": "06:00"}, "quiet_from"),
            ({"digest_at": "noon"}, "digest_at"),
            ({"digest_at": None}, "digest_at"),
            ({"digest_weekday": 0}, "digest_weekday"),
            ({"digest_weekday": "Someday"}, "digest_weekday"),
            ({"zone": "UTC"}, "zone"),
        ],
    )
    def test_what_does_not_fit_is_told_by_field_and_changes_nothing(
        self, call: Call, document: Any, field: str
    ) -> None:
        answer = call("PATCH", "preferences", document)
        assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
        assert [error["field"] for error in answer.json()["errors"]] == [field]
        assert not Preferences.objects.exists()

    def test_what_is_refused_leaves_the_language_as_it_was(self, call: Call) -> None:
        assert call("PATCH", "preferences", {"language": "fr", "quiet_from": "22:00"}).status_code == 422
        assert User.objects.get(email="reader@example.org").language == ""


class TestFeeds:
    def test_each_has_a_secret_address_until_it_is_rotated(self, call: Call) -> None:
        number = call("POST", "subscriptions", {"text": "price < 5"}).json()["id"]
        of_all = call("GET", "feeds").json()["url"]
        of_one = call("GET", f"feeds?subscription={number}").json()["url"]
        assert of_all != of_one
        assert call("GET", "feeds").json()["url"] == of_all
        rotated = call("POST", "feeds/rotate").json()["url"]
        assert rotated not in (of_all, of_one)
        assert call("GET", "feeds").json()["url"] == rotated

    def test_that_of_a_strangers_subscription_is_not_there(self, call: Call) -> None:
        number = call("POST", "subscriptions", {"text": "price < 5"}).json()["id"]
        stranger = key_of("stranger@example.org")
        for asked in (number, 999_999):
            assert call("GET", f"feeds?subscription={asked}", key=stranger).status_code == 404
        assert call("GET", "feeds?subscription=x").status_code == 422
