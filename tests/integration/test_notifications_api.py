"""REST for channels and deliveries: made, proved, tried, read and sent again, each by its owner only."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from notifications import channels, verification
from notifications.models import Attempt, Channel, Delivery
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.services import issue_key, publisher_named
from tests.integration.callers import PROBLEM, Call, caller, key_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_noon")]

HOOK = "https://shop.example.org/hook"


@pytest.fixture
def call(client: Client) -> Call:
    return caller(client, key=key_of("reader@example.org"))


@pytest.fixture
def made(call: Call) -> dict[str, Any]:
    answer: dict[str, Any] = call("POST", "channels", {"kind": "webhook", "address": HOOK}).json()
    return answer


@pytest.fixture
def hook(made: dict[str, Any]) -> int:
    """An active one."""
    channels.activate(made["id"], now=timezone.now())
    return int(made["id"])


class TestChannels:
    def test_a_new_one_is_answered_with_its_secret_and_state(self, made: dict[str, Any]) -> None:
        row = Channel.objects.get()
        assert (made["id"], made["secret"], made["state"]) == (row.pk, row.secret, "pending")
        assert made["address"] == HOOK

    def test_the_secret_is_shown_nowhere_else(self, call: Call, made: dict[str, Any], hook: int) -> None:
        challenge = Channel.objects.get().challenge
        call("POST", f"channels/{hook}/test")
        for method, path, document in (
            ("GET", "channels", None),
            ("GET", f"channels/{hook}", None),
            ("PATCH", f"channels/{hook}", {"most_per_day": 5}),
            ("GET", "deliveries", None),
            ("GET", f"deliveries/{Delivery.objects.filter(kind='test').get().pk}", None),
        ):
            answer = call(method, path, document)
            assert answer.status_code == 200
            assert made["secret"] not in answer.content.decode()
            assert challenge not in answer.content.decode()

    def test_they_are_listed_oldest_first(self, call: Call, made: dict[str, Any]) -> None:
        call("POST", "channels", {"kind": "email", "address": "Fan@Example.org"})
        listed = call("GET", "channels").json()["results"]
        assert [row["address"] for row in listed] == [HOOK, "fan@example.org"]
        assert call("GET", f"channels/{made['id']}").json() == listed[0]

    def test_the_same_address_again_is_a_conflict(self, call: Call, made: dict[str, Any]) -> None:
        answer = call("POST", "channels", {"kind": "webhook", "address": HOOK})
        assert (answer.status_code, answer.json()["type"]) == (409, PROBLEM + "conflict")
        assert answer.json()["detail"] == "You have a channel with this address already."
        assert Channel.objects.count() == 1

    @pytest.mark.parametrize(
        ("document", "field"),
        [
            ({}, "kind"),
            ({"kind": "pigeon", "address": HOOK}, "kind"),
            ({"kind": 5, "address": HOOK}, "kind"),
            ({"kind": ["email"], "address": HOOK}, "kind"),
            ({"kind": "webhook"}, "address"),
            ({"kind": "webhook", "address": ""}, "address"),
            ({"kind": "webhook", "address": 5}, "address"),
            ({"kind": "webhook", "address": None}, "address"),
            ({"kind": "webhook", "address": {"url": HOOK}}, "address"),
            ({"kind": "webhook", "address": "shop"}, "address"),
            ({"kind": "webhook", "address": "javascript:alert(1)"}, "address"),
            ({"kind": "webhook", "address": f"https://shop.example.org/{'x' * 3_000}"}, "address"),
            ({"kind": "webhook", "address": "http://127.0.0.1/"}, "address"),
            ({"kind": "webhook", "address": "http://[::ffff:10.0.0.1]/"}, "address"),
            ({"kind": "webhook", "address": "https://a:b@shop.example.org/"}, "address"),
            ({"kind": "email", "address": "fan@example.org\r\nBcc: all@example.org"}, "address"),
            ({"kind": "email", "address": "fan@example.org\x01"}, "address"),
            ({"kind": "email", "address": "x" * 3_000}, "address"),
            ({"kind": "email", "address": HOOK}, "address"),
            ({"kind": "webhook", "address": HOOK, "secret": "whsec_mine"}, "secret"),
            ({"kind": "webhook", "address": HOOK, "state": "active"}, "state"),
        ],
    )
    def test_what_does_not_fit_is_told_by_field_and_leaves_nothing(
        self, call: Call, document: Any, field: str
    ) -> None:
        answer = call("POST", "channels", document)
        assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
        assert field in [error["field"] for error in answer.json()["errors"]]
        assert not Channel.objects.exists()
        assert not Delivery.objects.exists()

    @pytest.mark.parametrize(
        "body", [b"{", b'{"kind": NaN}', b'{"address": "\\u0000"}', b'"webhook"', b"[]", b'{"kind": 1e999}']
    )
    def test_a_body_that_is_none_is_refused(self, call: Call, body: bytes) -> None:
        assert call("POST", "channels", body).status_code in (400, 422)
        assert not Channel.objects.exists()

    def test_there_is_a_limit_to_how_many_one_has(
        self, call: Call, made: dict[str, Any], settings: Any
    ) -> None:
        settings.MOST_CHANNELS_PER_OWNER = 1
        answer = call("POST", "channels", {"kind": "email", "address": "fan@example.org"})
        assert (answer.status_code, answer.json()["type"]) == (422, PROBLEM + "too-many-channels")

    def test_one_is_switched_off_and_on_and_gets_less(self, call: Call, hook: int) -> None:
        off = call("PATCH", f"channels/{hook}", {"state": "disabled"}).json()
        assert (off["state"], off["reason"]) == ("disabled", "You switched it off.")
        on = call("PATCH", f"channels/{hook}", {"state": "active", "wants": "notices", "most_per_day": 9})
        assert (on.json()["state"], on.json()["wants"], on.json()["most_per_day"]) == ("active", "notices", 9)
        assert call("PATCH", f"channels/{hook}", {"most_per_day": None}).json()["most_per_day"] is None
        assert call("PATCH", f"channels/{hook}", {}).json()["wants"] == "notices"

    @pytest.mark.parametrize(
        ("document", "field"),
        [
            ({"address": "https://shop.example.org/other"}, "address"),
            ({"state": "pending"}, "state"),
            ({"state": None}, "state"),
            ({"wants": "more"}, "wants"),
            ({"most_per_day": 0}, "most_per_day"),
            ({"most_per_day": -1}, "most_per_day"),
            ({"most_per_day": True}, "most_per_day"),
            ({"most_per_day": "5"}, "most_per_day"),
            ({"most_per_day": 1.5}, "most_per_day"),
            ({"most_per_day": 10**30}, "most_per_day"),
            ({"state": "disabled", "most_per_day": []}, "most_per_day"),
        ],
    )
    def test_a_change_that_does_not_fit_changes_nothing(
        self, call: Call, hook: int, document: Any, field: str
    ) -> None:
        before = call("GET", f"channels/{hook}").json()
        answer = call("PATCH", f"channels/{hook}", document)
        assert answer.status_code == 422
        assert [error["field"] for error in answer.json()["errors"]] == [field]
        assert call("GET", f"channels/{hook}").json() == before

    def test_nobody_makes_one_active_without_its_proof(self, call: Call, made: dict[str, Any]) -> None:
        answer = call("PATCH", f"channels/{made['id']}", {"state": "active"})
        assert (answer.status_code, answer.json()["type"]) == (409, PROBLEM + "not-active")
        assert call("POST", f"channels/{made['id']}/test").status_code == 409
        assert Channel.objects.get().state == "pending"

    def test_a_removed_one_is_gone(self, call: Call, hook: int) -> None:
        assert call("DELETE", f"channels/{hook}").status_code == 204
        for method, path in (
            ("GET", ""),
            ("PATCH", ""),
            ("DELETE", ""),
            ("POST", "/test"),
            ("POST", "/verify"),
            ("POST", "/rotate-secret"),
        ):
            assert call(method, f"channels/{hook}{path}", {}).status_code == 404

    def test_a_test_is_answered_with_where_to_look(self, call: Call, hook: int) -> None:
        answer = call("POST", f"channels/{hook}/test")
        assert answer.status_code == 202
        number = answer.json()["id"]
        assert answer.json()["status_url"].endswith(f"/api/v1/deliveries/{number}")
        planned = call("GET", f"deliveries/{number}").json()
        assert planned["kind"] == "test"
        assert planned["next_attempt_at"] == planned["planned_at"]  # whatever puts it before the others
        again = call("POST", f"channels/{hook}/test")
        assert (again.status_code, again.json()["type"]) == (429, PROBLEM + "too-soon")
        assert 1 <= int(again["Retry-After"]) <= 10

    def test_who_adds_and_removes_all_day_is_told_to_stop(
        self, call: Call, hook: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(verification, "MOST_PER_OWNER_AND_DAY", 2)
        for number, status in ((1, 201), (2, 429)):
            answer = call("POST", "channels", {"kind": "webhook", "address": f"{HOOK}?{number}"})
            assert answer.status_code == status
            if status == 201:
                assert call("DELETE", f"channels/{answer.json()['id']}").status_code == 204
        assert answer.json()["type"] == PROBLEM + "too-soon"
        assert answer.json()["detail"] == "You asked for 2 verifications today; ask again tomorrow."
        assert 1 <= int(answer["Retry-After"]) <= 86_400
        assert Channel.objects.get().pk == hook

    def test_a_mailbox_that_wanted_nothing_has_to_agree_to_more(self, call: Call, hook: int) -> None:
        box = call("POST", "channels", {"kind": "email", "address": "box@example.org"}).json()["id"]
        channels.activate(box, now=timezone.now())
        Delivery.objects.update(planned_at=timezone.now() - timedelta(hours=1))
        assert call("PATCH", f"channels/{box}", {"wants": "nothing"}).json()["state"] == "active"
        answer = call("POST", f"channels/{box}/test")
        assert (answer.status_code, answer.json()["type"]) == (409, PROBLEM + "not-active")
        assert call("PATCH", f"channels/{box}", {"wants": "notices"}).json()["state"] == "pending"

    def test_verifying_again_is_possible_now_and_then(self, call: Call, made: dict[str, Any]) -> None:
        path = f"channels/{made['id']}/verify"
        assert call("POST", path).status_code == 429
        Delivery.objects.update(planned_at=timezone.now() - timedelta(minutes=1))
        assert call("POST", path).status_code == 202
        assert Delivery.objects.filter(kind="verify", state="waiting").count() == 1
        channels.activate(made["id"], now=timezone.now())
        answer = call("POST", path)
        assert (answer.status_code, answer.json()["type"]) == (409, PROBLEM + "already-verified")

    def test_a_rotation_shows_the_new_secret_once(self, call: Call, made: dict[str, Any], hook: int) -> None:
        answer = call("POST", f"channels/{hook}/rotate-secret").json()
        assert answer["secret"] != made["secret"]
        assert answer["old_secret_until"] is not None
        assert "old_secret" not in answer

    def test_a_mailbox_has_no_secret_to_rotate(self, call: Call) -> None:
        made = call("POST", "channels", {"kind": "email", "address": "box@example.org"}).json()
        answer = call("POST", f"channels/{made['id']}/rotate-secret")
        assert (answer.status_code, answer.json()["type"]) == (409, PROBLEM + "not-signed")
        channel = Channel.objects.get(pk=made["id"])
        assert (channel.secret, channel.old_secret_until) == (made["secret"], None)


class TestDeliveries:
    @pytest.fixture
    def sent(self, hook: int) -> list[Delivery]:
        """Newest first, in all states; the first of all, its verification, is the last."""
        now = timezone.now()
        Delivery.objects.update(state="delivered", finished_at=now)
        for state in ("waiting", "delivered", "dropped", "dead"):
            delivery = Delivery.objects.create(
                channel_id=hook,
                kind="test",
                key=f"test:{state}",
                state=state,
                planned_at=now,
                next_attempt_at=now,
                attempts=2,
                finished_at=None if state == "waiting" else now,
            )
            for number in (1, 2):
                Attempt.objects.create(
                    delivery=delivery,
                    number=number,
                    began_at=now,
                    milliseconds=12,
                    is_success=number == 2,
                    status=500 if number == 1 else 204,
                    request="POST /hook",
                    response="HTTP/1.1 500",
                    error="It answered 500." if number == 1 else "",
                )
        return list(Delivery.objects.order_by("-pk"))

    def test_they_are_listed_newest_first_in_pages(self, call: Call, sent: list[Delivery]) -> None:
        page = call("GET", "deliveries?page_size=3").json()
        rest = call("GET", "deliveries?" + page["next"].split("?")[1]).json()
        numbers = [row["id"] for row in page["results"] + rest["results"]]
        assert numbers == [each.pk for each in sent]
        assert rest["next"] is None

    def test_those_in_one_state_or_of_one_channel_can_be_asked_for(
        self, call: Call, sent: list[Delivery], hook: int
    ) -> None:
        for query, count in {
            "state=dead": 1,
            "state=delivered": 2,
            f"channel={hook}": 5,
            f"channel={hook}&state=waiting": 1,
            f"channel={hook + 1}": 0,
        }.items():
            assert len(call("GET", f"deliveries?{query}").json()["results"]) == count, query
        for query, field in {
            "state=odd": "state",
            "channel=x": "channel",
            f"channel={'9' * 400}": "channel",
            "channel=0": "channel",
            "status=dead": "status",
        }.items():
            answer = call("GET", f"deliveries?{query}")
            assert answer.status_code == 422
            assert answer.json()["errors"][0]["field"] == field

    def test_one_comes_with_the_log_of_its_attempts(self, call: Call, sent: list[Delivery]) -> None:
        answer = call("GET", f"deliveries/{sent[0].pk}").json()
        assert answer["webhook_id"] == f"msg_{sent[0].uid.hex}"
        assert answer["next_attempt_at"] is None
        assert [entry["number"] for entry in answer["log"]] == [1, 2]
        assert answer["log"][0]["error"] == "It answered 500."
        assert (answer["log"][0]["request"], answer["log"][0]["response"]) == ("POST /hook", "HTTP/1.1 500")

    def test_a_finished_one_goes_again(self, call: Call, sent: list[Delivery]) -> None:
        for delivery in sent:
            if delivery.kind == "verify" or delivery.state == "waiting":
                answer = call("POST", f"deliveries/{delivery.pk}/replay")
                assert (answer.status_code, answer.json()["type"]) == (409, PROBLEM + "cannot-replay")
                continue
            answer = call("POST", f"deliveries/{delivery.pk}/replay")
            assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
            assert answer.json()["webhook_id"] == f"msg_{delivery.uid.hex}"
            assert answer.json()["next_attempt_at"] is not None


def test_what_belongs_to_another_answers_like_what_does_not_exist(call: Call, hook: int) -> None:
    delivery = Delivery.objects.get().pk
    stranger = key_of("stranger@example.org")
    for method, path, number, document in (
        ("GET", "channels/{}", hook, None),
        ("PATCH", "channels/{}", hook, {"state": "disabled"}),
        ("DELETE", "channels/{}", hook, None),
        ("POST", "channels/{}/test", hook, None),
        ("POST", "channels/{}/verify", hook, None),
        ("POST", "channels/{}/rotate-secret", hook, None),
        ("GET", "deliveries/{}", delivery, None),
        ("POST", "deliveries/{}/replay", delivery, None),
    ):
        foreign = call(method, path.format(number), document, key=stranger)
        missing = call(method, path.format(999_999), document, key=stranger)
        assert foreign.status_code == missing.status_code == 404
        assert foreign.json()["detail"] == missing.json()["detail"]
    for path in ("channels", "deliveries"):
        assert call("GET", path, key=stranger).json()["results"] == []
    assert call("GET", f"deliveries?channel={hook}", key=stranger).json()["results"] == []
    assert Channel.objects.get().state == "active"


def test_publishers_and_visitors_have_none_of_this(call: Call) -> None:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    key = issue_key(publisher.user, [Scope.EVENTS, Scope.SUBSCRIPTIONS])[1]
    for path in ("channels", "deliveries", "preferences", "feeds"):
        assert call("GET", path, key=key).status_code == 403
        assert call("GET", path, key=None).status_code == 401


@pytest.mark.parametrize("number", ["0", "9" * 19, "9" * 400])
def test_a_number_that_cannot_be_is_not_there(call: Call, number: str) -> None:
    assert call("GET", f"channels/{number}").status_code == 404
    assert call("GET", f"deliveries/{number}").status_code == 404


def test_the_openapi_document_tells_of_all_this(client: Client) -> None:
    document = client.get("/api/v1/openapi.json").json()
    for path, method in (
        ("channels", "post"),
        ("channels/{number}/test", "post"),
        ("channels/{number}/rotate-secret", "post"),
        ("deliveries", "get"),
        ("deliveries/{number}/replay", "post"),
        ("preferences", "patch"),
        ("feeds/rotate", "post"),
    ):
        assert {"401", "429"} < set(document["paths"][f"/api/v1/{path}"][method]["responses"])
    new = document["components"]["schemas"]["NewSubscription"]["properties"]
    assert {"text", "frequency", "revisions", "channels"} <= set(new)
