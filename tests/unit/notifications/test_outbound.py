"""Requests to hostile addresses connect to nothing, and hostile answers end in time."""

import itertools
import re
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from notifications.outbound import NoAnswer, Outbound, Refused
from tests.limits.measuring import Measured
from tests.sinks import Behaviour, HttpSink
from tests.unit.notifications.connection_attempts import Attempts, recorded_attempts
from tests.unit.notifications.hostile_urls import IPV4_WITHIN, hidden_in_ipv6, hostile_urls
from tests.unit.notifications.odd_servers import CERTIFICATE, Dripping, Listener, Secure

PUBLIC = "2d00::1"  # of a network that nobody was given
NOWHERE = "http://nowhere.example/"
FOREVER = 120.0  # seconds; what these servers do takes longer, or has no end
SHORT = (1.5, 15.0)  # seconds; the second only if the machine was too busy to connect in the first


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[HttpSink]:
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


@pytest.fixture
def ipv6_listener(sink: HttpSink) -> Iterator[Listener]:
    with Listener(socket.AF_INET6, "::", sink.port) as listener:
        yield listener


@pytest.fixture
def attempts(sink: HttpSink) -> Iterator[Attempts]:
    """Begins when the servers run: what it has comes from the requests of the test."""
    with recorded_attempts() as attempts:
        yield attempts


def answering(*addresses: str) -> Any:
    """A name server that knows these addresses of every host."""

    def resolve(host: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
        return [_place(address, port) for address in addresses]

    return resolve


def _place(address: str, port: int) -> tuple[Any, ...]:
    is_6 = ":" in address
    place = (address, port, 0, 0) if is_6 else (address, port)
    return (socket.AF_INET6 if is_6 else socket.AF_INET, socket.SOCK_STREAM, 6, "", place)


def post(outbound: Outbound, url: str) -> Any:
    return outbound.post(url, b"{}", {"Content-Type": "application/json"})


def test_the_record_of_attempts_has_those_that_arrive_and_those_that_cannot(
    sink: HttpSink, attempts: Attempts
) -> None:
    post(Outbound(allowed_hosts=["127.0.0.1"]), sink.url())
    with pytest.raises(NoAnswer):
        post(Outbound(allowed_hosts=["nowhere.example"], resolver=answering("::2"), seconds=3), NOWHERE)
    assert attempts == [("127.0.0.1", sink.port), ("::2", 80)]


def test_no_hostile_url_gets_a_connection(
    sink: HttpSink, ipv6_listener: Listener, attempts: Attempts
) -> None:
    urls = hostile_urls(sink.port)
    assert len(set(urls)) >= 200
    for url in urls:
        with pytest.raises((Refused, NoAnswer)) as caught:
            post(Outbound(seconds=2), url)
        assert attempts == [], url
        if caught.type is NoAnswer:  # some systems do not know all these names
            assert re.match("There is no host|Looking up", str(caught.value)), url
    print(f"{len(set(urls))} hostile URLs")
    assert (sink.connections, ipv6_listener.connections()) == (0, 0)


@pytest.mark.parametrize("address", IPV4_WITHIN + [h for a in IPV4_WITHIN for h in hidden_in_ipv6(a)])
def test_a_name_that_leads_to_a_private_address_is_refused_by_that_address(
    sink: HttpSink, attempts: Attempts, address: str
) -> None:
    with pytest.raises(Refused, match=r"We do not send to .*: it is ") as refused:
        post(Outbound(resolver=answering(address)), f"http://rebound.example:{sink.port}/")
    assert not refused.value.is_forever
    assert attempts == []


@pytest.mark.parametrize(
    "answers", [(PUBLIC, "127.0.0.1"), ("127.0.0.1", PUBLIC), (PUBLIC, "2606:4700::1111", "::1")]
)
def test_one_private_address_among_public_ones_is_enough_to_refuse(
    sink: HttpSink, attempts: Attempts, answers: tuple[str, ...]
) -> None:
    with pytest.raises(Refused):
        post(Outbound(resolver=answering(*answers)), f"http://mixed.example:{sink.port}/")
    assert attempts == []


def test_a_name_that_changes_its_address_is_asked_once_and_that_answer_counts(
    sink: HttpSink, attempts: Attempts
) -> None:
    asked = []
    answers = itertools.chain([PUBLIC], itertools.repeat("127.0.0.1"))

    def rebinding(host: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
        asked.append(host)
        return [_place(next(answers), port)]

    with pytest.raises(NoAnswer):
        post(Outbound(resolver=rebinding, seconds=3), f"http://rebinding.example:{sink.port}/")
    assert asked == ["rebinding.example"]
    assert attempts == [(PUBLIC, sink.port)]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "place", ["http://127.0.0.1:9/", "http://169.254.169.254/", "http://[::1]/", "/here"]
)
def test_a_redirect_from_an_allowed_host_to_a_private_one_is_not_followed(
    sink: HttpSink, attempts: Attempts, status: int, place: str
) -> None:
    sink.behave(Behaviour(status=status, headers={"Location": place}))
    outbound = Outbound(allowed_hosts=[f"127.0.0.1:{sink.port}"])
    assert post(outbound, sink.url()).status == status
    assert attempts == [("127.0.0.1", sink.port)]


def test_an_allowed_host_may_be_private_and_its_neighbours_may_not(sink: HttpSink, tmp_path: Path) -> None:
    assert post(Outbound(allowed_hosts=["127.0.0.1"]), sink.url()).status == 200
    outbound = Outbound(allowed_hosts=[f"127.0.0.1:{sink.port}"])
    assert post(outbound, sink.url()).body == b"Thank you."
    with HttpSink(tmp_path / "other") as other:
        for url in (other.url(), f"http://2130706433:{sink.port}/", f"http://localhost:{sink.port}/"):
            with pytest.raises(Refused):
                post(outbound, url)
        assert other.connections == 0


def test_the_host_is_told_and_nothing_is_taken_from_the_environment(
    sink: HttpSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://192.0.2.1:9")
    monkeypatch.setenv("all_proxy", "http://192.0.2.1:9")
    outbound = Outbound(allowed_hosts=["shop.example"], resolver=answering("127.0.0.1"))
    post(outbound, f"http://shop.example:{sink.port}/hook?shop=7")
    (receipt,) = sink.receipts()
    assert receipt.path == "/hook?shop=7"
    assert receipt.headers["host"] == f"shop.example:{sink.port}"
    assert receipt.headers["accept-encoding"] == "identity"


def test_addresses_are_tried_until_one_takes_the_connection(sink: HttpSink) -> None:
    outbound = Outbound(allowed_hosts=["shop.example"], resolver=answering("::1", "127.0.0.1"))
    assert post(outbound, f"http://shop.example:{sink.port}/").status == 200


def test_no_more_than_64_kb_of_an_answer_are_read(sink: HttpSink, measured: Measured) -> None:
    sink.behave(Behaviour(bytes_of_body=5_000_000))
    read = len(post(Outbound(allowed_hosts=["127.0.0.1"]), sink.url()).body)
    measured("read of a receiver's answer of 5 MB", read / 1024, "kB", at_most=64)


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(drips="headers"),
        Behaviour(drips="body"),
        Behaviour(hangs=True),
        Behaviour(after_seconds=2 * FOREVER),
    ],
)
def test_the_deadline_holds_however_slowly_an_answer_drips(sink: HttpSink, behaviour: Behaviour) -> None:
    sink.behave(behaviour)
    for seconds in SHORT:
        began = time.monotonic()
        with pytest.raises(NoAnswer) as caught:
            post(Outbound(allowed_hosts=["127.0.0.1"], seconds=seconds), sink.url())
        assert 0.9 * seconds < time.monotonic() - began < FOREVER
        if sink.receipts():
            break
    assert f"no whole answer within {seconds:g} s" in str(caught.value)


def test_the_deadline_holds_against_a_handshake_that_drips() -> None:
    with Dripping(b"\x16\x03\x03\x40\x00") as dripping:
        for seconds in SHORT:
            began = time.monotonic()
            outbound = Outbound(allowed_hosts=["127.0.0.1"], seconds=seconds)
            with pytest.raises(NoAnswer) as caught:
                post(outbound, f"https://127.0.0.1:{dripping.port}/")
            assert time.monotonic() - began < FOREVER
            if "Could not connect" not in str(caught.value) and "Looking up" not in str(caught.value):
                break
        assert f"no whole answer within {seconds:g} s" in str(caught.value)


def test_the_deadline_holds_against_a_name_server_that_hangs() -> None:
    never = Event()

    def hanging(host: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
        never.wait(2 * FOREVER)
        return []

    began = time.monotonic()
    with pytest.raises(NoAnswer, match=r"Looking up slow\.example took too long"):
        post(Outbound(resolver=hanging, seconds=0.5), "http://slow.example/")
    assert time.monotonic() - began < FOREVER
    never.set()


def test_the_deadline_holds_against_a_connection_that_is_never_taken() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        began = time.monotonic()
        with pytest.raises(NoAnswer):
            post(Outbound(allowed_hosts=["127.0.0.1"], seconds=1), f"http://127.0.0.1:{port}/")
        assert time.monotonic() - began < FOREVER
        for each in waiting:
            each.close()


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-OpenSSH_9\r\n", b"HTTP/1.1 what\r\n\r\n", b"\0" * 100])
def test_what_is_no_http_answer_is_told_in_a_sentence(said: bytes) -> None:
    with Dripping(said, closes=True) as other, pytest.raises(NoAnswer):
        post(Outbound(allowed_hosts=["127.0.0.1"], seconds=2), f"http://127.0.0.1:{other.port}/")


def test_a_refused_connection_is_told_in_a_sentence() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]  # ours until the end, and nobody listens there
        refused = f"Could not connect to 127.0.0.1, port {port}: Connection refused."
        with pytest.raises(NoAnswer, match=refused):
            post(Outbound(allowed_hosts=["127.0.0.1"]), f"http://127.0.0.1:{port}/")


def test_a_certificate_must_be_of_the_host_we_meant() -> None:
    trust = ssl.create_default_context(cafile=str(CERTIFICATE))
    with Secure() as server:
        outbound = Outbound(allowed_hosts=["shop.example"], resolver=answering("127.0.0.1"), trust=trust)
        assert post(outbound, f"https://shop.example:{server.port}/").status == 200
        other = Outbound(allowed_hosts=["other.example"], resolver=answering("127.0.0.1"), trust=trust)
        with pytest.raises(NoAnswer, match="certificate was not accepted: Hostname mismatch"):
            post(other, f"https://other.example:{server.port}/")
        untrusting = Outbound(allowed_hosts=["shop.example"], resolver=answering("127.0.0.1"))
        with pytest.raises(NoAnswer, match="certificate was not accepted: self-signed certificate"):
            post(untrusting, f"https://shop.example:{server.port}/")
        assert server.names == ["shop.example", "other.example", "shop.example"]
