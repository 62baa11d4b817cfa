"""People who are told: some by webhook, some by mail, all at real receivers that write down what they get."""

import re
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.chaos import market
from tests.chaos.client import MUCH_PATIENCE, Client, Traffic
from tests.chaos.history import Ledger
from tests.chaos.subscriber import Subscriber
from tests.chaos.told import Reader, Receipt
from tests.running_system import RunningSystem, wait_until
from tests.sinks import Behaviour, HttpSink, SmtpSink

SECONDS_TO_ANSWER = 0.05  # of the web sink: a receiver that takes no time is hardly ever hit
SECONDS_TO_VERIFY = 300.0
_WIRE_ID = re.compile(r"msg_[0-9a-f]{32}")
_LINK = re.compile(r"http\S+/confirm/\S+")


class Sinks:
    """Where all messages of a run arrive, and are on the disk before their sender has an answer."""

    def __init__(self, directory: Path) -> None:
        self.web = HttpSink(directory / "webhooks.jsonl", is_synced=True)
        self.web.behave(Behaviour(after_seconds=SECONDS_TO_ANSWER))
        self.mail = SmtpSink(directory / "mails.jsonl", is_synced=True)

    @property
    def environment(self) -> dict[str, str]:
        """What a system needs to reach them."""
        return {"EMAIL_URL": self.mail.url, "LESUBSCRIBE_WEBHOOK_ALLOWED_HOSTS": "127.0.0.1"}

    def receipts(self) -> list[Receipt]:
        """The messages of matches."""
        found = []
        ahead = time.time() - time.monotonic()
        for post in self.web.receipts():
            if post.content["type"] == "match.found":
                data = post.content["data"]
                numbers = frozenset(each["subscription"] for each in data["matches"])
                name, event = post.path.strip("/"), data["event"]["id"]
                found.append(Receipt(post.id, name, event, numbers, post.at - ahead))
        for mail in self.mail.receipts():
            if mail.message["List-Unsubscribe"] is not None:  # confirmations have none
                (wire_id,) = _WIRE_ID.findall(mail.id)
                (address,) = mail.recipients
                found.append(Receipt(wire_id, address.split("@")[0], at=mail.at - ahead))
        return found


def new_reader(
    system: RunningSystem,
    sinks: Sinks,
    ledger: Ledger,
    random: Random,
    *,
    name: str,
    key: str,
    has_webhook: bool,
    searches: int,
    search: Callable[[Random], str] = market.search,
) -> Reader:
    """Somebody with one verified channel and so many searches."""
    address = address_of(name)
    client = Client(system.url, key, Traffic(), patience=MUCH_PATIENCE)
    wanted = (
        {"kind": "webhook", "address": sinks.web.url(f"/{name}")}
        if has_webhook
        else {"kind": "email", "address": address}
    )
    channel = client.ask("POST", "channels", wanted, good={201}).document["id"]
    if not has_webhook:
        _follow_the_link(sinks.mail, address)
    wait_until(
        lambda: client.ask("GET", f"channels/{channel}", good={200}).document["state"] == "active",
        seconds=SECONDS_TO_VERIFY,
    )
    subscriber = Subscriber(name, client, ledger, random)
    held = [subscriber.subscribe(search(random)) for _ in range(searches)]
    client.close()
    return Reader(name, channel, frozenset(each.number for each in held))


def address_of(name: str) -> str:
    return f"{name}@example.org"


def _follow_the_link(mailbox: SmtpSink, address: str) -> None:
    """As a person does: open the mail, follow its link, press the button there."""
    (mail, *_) = wait_until(lambda: mailbox.receipts(address=address), seconds=SECONDS_TO_VERIFY)
    text = mail.message.get_body(("plain",))
    assert text is not None
    link = _LINK.search(text.get_content())
    assert link is not None, text.get_content()
    urllib.request.urlopen(link[0], data=b"", timeout=SECONDS_TO_VERIFY).close()
