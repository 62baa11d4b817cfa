"""The receivers of other tests do what those rely on."""

import signal
import smtplib
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.running_system import ROOT, free_port, wait_until
from tests.sinks import Behaviour, HttpSink, SmtpSink

MAIL = b"Message-ID: <1@example.org>\r\nSubject: A chair\r\n\r\nHello."


def post(url: str, body: bytes = b"{}") -> tuple[int, bytes]:
    request = urllib.request.Request(url, data=body, headers={"webhook-id": "msg_1"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_a_web_server_writes_down_what_it_gets_and_behaves_as_it_is_told(tmp_path: Path) -> None:
    with HttpSink(tmp_path / "receipts") as sink:
        sink.behave(Behaviour(status=503, body="Later."), path="/busy")
        challenge = b'{"type": "channel.verify", "data": {"challenge": "abc"}}'
        assert post(sink.url("/hook"), challenge) == (200, b"abc")
        assert post(sink.url("/busy")) == (503, b"Later.")
        assert [(receipt.path, receipt.id) for receipt in sink.receipts()] == [
            ("/hook", "msg_1"),
            ("/busy", "msg_1"),
        ]
        assert sink.receipts(path="/hook")[0].content["type"] == "channel.verify"
        assert sink.connections == 2


def test_a_web_server_that_was_down_comes_back_on_the_same_port(tmp_path: Path) -> None:
    with HttpSink(tmp_path / "receipts") as sink:
        assert post(sink.url()) == (200, b"Thank you.")
        sink.stop()
        with pytest.raises(urllib.error.URLError):
            post(sink.url())
        sink.start()
        assert post(sink.url()) == (200, b"Thank you.")
        assert len(sink.receipts()) == 2


def test_a_mail_server_writes_down_what_it_gets_and_refuses_whom_it_is_told_to(tmp_path: Path) -> None:
    with SmtpSink(tmp_path / "mails") as sink, smtplib.SMTP("127.0.0.1", sink.port, timeout=120) as client:
        client.sendmail("us@example.org", ["reader@example.org"], MAIL)
        sink.refuse("550 No such mailbox", address="gone@example.org")
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            client.sendmail("us@example.org", ["gone@example.org"], MAIL)
        (receipt,) = sink.receipts()
        assert (receipt.id, receipt.recipients) == ("<1@example.org>", ["reader@example.org"])
        assert receipt.message["Subject"] == "A chair"
        assert sink.receipts(address="gone@example.org") == []


@pytest.mark.parametrize(("kind", "sink"), [("http", HttpSink), ("smtp", SmtpSink)])
def test_a_sink_runs_as_a_process_of_its_own(
    kind: str, sink: Callable[..., HttpSink | SmtpSink], tmp_path: Path
) -> None:
    file, port = tmp_path / "receipts", free_port()
    command = [sys.executable, "-m", "tests.sinks", kind, "--port", str(port), "--file", str(file)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        wait_until(lambda: _took_one(kind, port), seconds=120)
        assert len(sink(file, port=port).receipts()) == 1
        process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


def _took_one(kind: str, port: int) -> bool:
    try:
        if kind == "http":
            return post(f"http://127.0.0.1:{port}/")[0] == 200
        with smtplib.SMTP("127.0.0.1", port, timeout=120) as client:
            return not client.sendmail("us@example.org", ["reader@example.org"], MAIL)
    except OSError:
        return False
