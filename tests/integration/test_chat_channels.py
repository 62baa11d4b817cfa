"""A chat or push service as a channel: added, proved by its link, told, and never showing its tokens."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from lesubscribe.account_export import exported
from notifications import channels, claims, sending
from notifications.addresses import InvalidAddress
from notifications.channels import AddressTaken, NotSigned
from notifications.chat.services import SERVICES
from notifications.deliveries import TooSoon
from notifications.models import Attempt, Channel, Delivery
from schema_registry.accounts.models import User
from tests.integration.callers import PROBLEM, caller, key_of
from tests.integration.collector import Collector, item
from tests.integration.own_channels import again, mailbox
from tests.integration.waiting import let_time_pass, plan
from tests.sinks import Behaviour, HttpSink

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
TOKEN = "AbCdE.fghijklmnop"
Kind = Channel.Kind


@pytest.fixture
def sink(tmp_path: Path, settings: Settings) -> Iterator[HttpSink]:
    settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_hints", claims.Hints())


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def reader(client: Client, collector: Collector) -> Client:
    client.force_login(collector.user)
    return client


def chat(owner: User, sink: HttpSink) -> Channel:
    address = f"gotify://127.0.0.1:{sink.port}/{TOKEN}"
    return channels.add(owner, kind=Kind.CHAT, address=address, now=timezone.now() - timedelta(hours=1))


def link_in(sink: HttpSink) -> str:
    found = re.search(r"https?://[^/]+(/notifications/confirm/\S+)", sink.receipts()[-1].content["message"])
    assert found
    return found[1]


class TestProving:
    def test_the_link_in_its_first_message_makes_it_active(
        self, collector: Collector, client: Client, sink: HttpSink
    ) -> None:
        made = chat(collector.user, sink)
        assert (made.state, made.address) == ("pending", f"gotify://127.0.0.1:{sink.port}/…mnop")
        assert sending.deliver(seconds=600) == 1
        link = link_in(sink)
        assert "Shall we write to" in client.get(link).content.decode()
        assert again(made).state == "pending"  # services look at every link
        assert client.post(link).status_code == 200
        assert again(made).state == "active"

    def test_that_a_message_arrived_proves_nothing_by_itself(
        self, collector: Collector, sink: HttpSink
    ) -> None:
        made = chat(collector.user, sink)
        plan(made)  # something else, which has to wait
        assert sending.deliver(seconds=600) == 1
        assert again(made).state == "pending"

    def test_another_link_makes_the_first_one_worthless_and_they_are_few(
        self, collector: Collector, client: Client, sink: HttpSink
    ) -> None:
        made = chat(collector.user, sink)
        sending.deliver(seconds=600)
        first, now = link_in(sink), timezone.now()
        channels.verify_again(made.pk, now=now)
        with pytest.raises(TooSoon):
            channels.verify_again(made.pk, now=now + timedelta(seconds=59))
        assert client.post(first).status_code == 404
        assert again(made).state == "pending"

    def test_one_that_wanted_nothing_has_to_agree_again(self, collector: Collector, sink: HttpSink) -> None:
        made = chat(collector.user, sink)
        channels.activate(made.pk, now=timezone.now())
        channels.change(made.pk, wants="nothing", now=timezone.now())
        channels.change(made.pk, wants="everything", by_account=True, now=timezone.now())
        assert again(made).state == "pending"


class TestTelling:
    def test_a_find_arrives_with_its_price_its_search_and_its_link(
        self, collector: Collector, sink: HttpSink
    ) -> None:
        collector.channel = chat(collector.user, sink)
        channels.activate(collector.channel.pk, now=timezone.now())
        Delivery.objects.all().delete()
        delivery = collector.is_told((item(), collector.searches(name="Oak")))
        let_time_pass()
        assert sending.deliver(seconds=600) == 1
        (receipt,) = sink.receipts()
        assert receipt.content["title"] == "Oak dining table - 180 EUR"
        assert receipt.content["message"].splitlines()[-2:] == [
            "Found by “Oak”",
            "https://belleroche.example/lots/7",
        ]
        assert Delivery.objects.get(pk=delivery.pk).state == "delivered"
        assert TOKEN not in str(list(Attempt.objects.values()))

    def test_a_token_that_is_gone_switches_it_off_and_another_channel_says_so(
        self, collector: Collector, sink: HttpSink
    ) -> None:
        made = chat(collector.user, sink)
        channels.activate(made.pk, now=timezone.now())
        Delivery.objects.all().delete()
        sink.behave(Behaviour(status=401))
        plan(made)
        sending.deliver(seconds=600)
        made = again(made)
        assert made.state == "disabled"
        assert made.reason == "Gotify says that there is nothing at this address any more (401)."
        notice = collector.channel.deliveries.get(kind="notice")
        assert (notice.about["address"], notice.about["reason"]) == (made.address, made.reason)
        assert TOKEN not in str(notice.about)


class TestAdding:
    def test_a_person_fills_in_what_the_service_needs(self, reader: Client, collector: Collector) -> None:
        page = reader.get("/notifications").content.decode()
        for service in SERVICES.values():
            assert f'href="/notifications/channels/new/{service.key}"' in page
        form = reader.get("/notifications/channels/new/ntfy").content.decode()
        assert 'value="https://ntfy.sh"' in form
        answer = reader.post(
            "/notifications/channels/new/ntfy", {"server": "https://ntfy.sh", "topic": "oak-tables-k3vq8"}
        )
        made = Channel.objects.get(kind="chat")
        assert answer.headers["Location"] == f"/notifications#channel-{made.pk}"
        assert (made.owner, made.secret) == (collector.user, "ntfys://ntfy.sh/oak-tables-k3vq8")
        page = reader.get("/notifications").content.decode()
        assert "oak-tables" not in page
        assert "ntfys://ntfy.sh/…3vq8" in page
        assert "Follow the link in the message that we sent there." in page

    def test_what_is_wrong_is_said_and_nothing_is_kept(self, reader: Client) -> None:
        path = "/notifications/channels/new/gotify"
        wrong = [
            ({"server": "http://127.0.0.1", "token": TOKEN}, "it is loopback"),
            ({"server": "push.example.org", "token": TOKEN}, "not an address of Gotify"),
            ({"server": "https://push.example.org", "token": ""}, "This field is required"),
        ]
        for fields, said in wrong:
            assert said in reader.post(path, fields).content.decode()
        assert reader.get("/notifications/channels/new/carrier-pigeon").status_code == 404
        assert not Channel.objects.filter(kind="chat").exists()

    def test_the_same_chat_twice_is_one_channel(self, collector: Collector, sink: HttpSink) -> None:
        chat(collector.user, sink)
        with pytest.raises(AddressTaken):
            chat(collector.user, sink)
        assert chat(User.objects.create_user("other@example.org"), sink).state == "pending"

    def test_the_api_takes_the_notation_of_apprise(self, client: Client) -> None:
        call = caller(client, key=key_of("reader@example.org"))
        made = call("POST", "channels", {"kind": "chat", "address": f"gotifys://push.example.org/{TOKEN}"})
        assert made.status_code == 201
        document = made.json()
        assert (document["kind"], document["address"]) == ("chat", "gotifys://push.example.org/…mnop")
        assert (document["secret"], document["state"]) == ("", "pending")
        refused = call("POST", "channels", {"kind": "chat", "address": "json://push.example.org/hook"})
        assert (refused.status_code, refused.json()["type"]) == (422, f"{PROBLEM}invalid-address")
        rotated = call("POST", f"channels/{document['id']}/rotate-secret")
        assert (rotated.status_code, rotated.json()["type"]) == (409, f"{PROBLEM}not-signed")


class TestSecrets:
    def test_no_page_no_document_and_no_export_has_a_token(
        self, reader: Client, collector: Collector, sink: HttpSink
    ) -> None:
        made = chat(collector.user, sink)
        sending.deliver(seconds=600)
        channels.activate(made.pk, now=timezone.now())
        sent = Delivery.objects.get()
        staff = Client()
        staff.force_login(User.objects.create_superuser("staff@example.org", "a password"))
        pages = [
            (reader, "/notifications"),
            (reader, f"/notifications/channels/{made.pk}/change"),
            (reader, "/notifications/deliveries"),
            (reader, f"/notifications/deliveries/{sent.pk}"),
            (reader, "/api/v1/channels"),
            (reader, f"/api/v1/channels/{made.pk}"),
            (reader, f"/api/v1/deliveries/{sent.pk}"),
            (staff, "/admin/notifications/channel/"),
            (staff, f"/admin/notifications/channel/{made.pk}/change/"),
            (staff, f"/admin/notifications/delivery/{sent.pk}/change/"),
        ]
        for client, path in pages:
            answer = client.get(path)
            assert answer.status_code == 200, path
            assert TOKEN not in answer.content.decode(), path
        shown = reader.post(f"/notifications/channels/{made.pk}/secret", headers={"HX-Request": "true"})
        assert TOKEN not in shown.content.decode()
        assert TOKEN.encode() not in b"".join(exported(collector.user, now=timezone.now()))
        assert TOKEN not in str(made)

    def test_there_is_none_to_rotate(self, collector: Collector, sink: HttpSink) -> None:
        made = chat(collector.user, sink)
        with pytest.raises(NotSigned):
            channels.rotate_secret(made.pk, now=timezone.now())
        assert TOKEN in again(made).secret


def test_an_address_of_mail_is_no_address_of_a_chat(collector: Collector) -> None:
    with pytest.raises(InvalidAddress):
        channels.add(collector.user, kind=Kind.CHAT, address="box@example.org", now=timezone.now())
    assert mailbox(collector.user).kind == "email"
