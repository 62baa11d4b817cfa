"""The table of chat and push services: what it takes, what it stores, and what of that is ever shown."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from notifications.addresses import InvalidAddress
from notifications.chat.addresses import read, written
from notifications.chat.services import SERVICES, service_of
from tests.running_system import ROOT

BOT = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"
# What somebody fills in, the address that is stored, and what is shown of it.
FILLED: dict[str, tuple[dict[str, str], str, str]] = {
    "telegram": (
        {"token": BOT, "chat": "-100123456"},
        f"tgram://{BOT.replace(':', '%3A')}/-100123456",
        "tgram://…saw1/-100123456",
    ),
    "discord": (
        {"server": "https://discord.com/api/webhooks/123456789012/abcDEF_gh-ij"},
        "discord://123456789012/abcDEF_gh-ij",
        "discord://…9012/…h-ij",
    ),
    "slack": (
        {"server": "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"},
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
        "slack://…3L2/…4JD/…i7FQ",
    ),
    "mattermost": (
        {"server": "https://chat.example.org:8443/sub/hooks/3ccdd113474722377935511fc85d3dd4"},
        "mmosts://chat.example.org:8443/sub/3ccdd113474722377935511fc85d3dd4",
        "mmosts://chat.example.org:8443/sub/…3dd4",
    ),
    "rocketchat": (
        {"server": "https://chat.example.org/hooks/64f0a1b2c3/Xn2sdfghjk"},
        "rockets://64f0a1b2c3%2FXn2sdfghjk@chat.example.org",
        "rockets://…ghjk@chat.example.org",
    ),
    "ntfy": (
        {
            "server": "https://ntfy.sh",
            "topic": "oak-tables-k3vq8",
            "token": "tk_abcdefghijklmnopqrstuvwxyz012",
        },
        "ntfys://tk_abcdefghijklmnopqrstuvwxyz012@ntfy.sh/oak-tables-k3vq8",
        "ntfys://…z012@ntfy.sh/…3vq8",
    ),
    "gotify": (
        {"server": "http://push.example.org:8080/sub", "token": "AbCdE.fghijkl"},
        "gotify://push.example.org:8080/sub/AbCdE.fghijkl",
        "gotify://push.example.org:8080/sub/…ijkl",
    ),
    "pushover": (
        {"user": "uQiRzpo4DXghDmr9QzzfQu27cmVRsG", "token": "azGDORePK8gMaC0QOYAMyEEuzJnyUi"},
        "pover://uQiRzpo4DXghDmr9QzzfQu27cmVRsG@azGDORePK8gMaC0QOYAMyEEuzJnyUi",
        "pover://…VRsG@…nyUi",
    ),
    "signal": (
        {"server": "https://signal.example.org", "sender": "+33123456789", "receiver": "+33987654321"},
        "signals://signal.example.org/+33123456789/+33987654321",
        "signals://signal.example.org/…6789/…4321",
    ),
}


@pytest.mark.parametrize("key", SERVICES)
def test_what_is_filled_in_becomes_an_address_whose_secrets_are_not_shown(key: str) -> None:
    filled, stored, shown = FILLED[key]
    service = SERVICES[key]
    address = read(written(service, filled), allowed_hosts=frozenset())
    assert (address.service, address.stored, address.shown) == (service, stored, shown)
    assert read(stored, allowed_hosts=frozenset()) == address
    assert service_of(shown) is service


@pytest.mark.parametrize(
    "address",
    [
        "json://shop.example.org/hook",  # apprise knows many more: none of them is ours
        "xml://shop.example.org/hook",
        "apprise://shop.example.org/token",
        "mailto://user:pass@example.org",
        "file:///etc/passwd",
        "syslog://",
        "dbus://",
        "exec://rm",
        "matrixs://token@matrix.example.org/room",
        "https://shop.example.org/hook",
        "https://discord.com.shop.example.org/api/webhooks/1/abc",
        "ntfys",
        "",
        "ntfys://ntfy.sh/topic?attach=http://169.254.169.254/",
        "ntfys://ntfy.sh/topic?mode=cloud",
        "gotify://push.example.org/abcdefgh?verify=no",
        "ntfys://ntfy.sh/one/two",  # one channel is one chat
        f"tgram://{BOT}/1/2",
        f"tgram://{BOT}/",  # it would look for its owner by itself
        "slack://xoxb-1234-1234-4ddbc191d40ee098cbaae6f3523ada2d/#general",
        "rockets://user:password@chat.example.org/#general",
        "ntfy://127.0.0.1/topic",
        "ntfys://localhost/topic",
        "gotify://[::1]/abcdefgh",
        "gotify://0x7f000001/abcdefgh",
        "mmost://10.0.0.8/3ccdd113474722377935511fc85d3dd4",
        "signal://192.168.1.4:8080/+33123456789/+33987654321",
        "rocket://64f0a1b2c3/Xn2sdfghjk@169.254.169.254",
        "ntfys://ntfy.sh/" + "x" * 2_000,
        "ntfys://ntfy.sh/top\nic",
    ],
)
def test_nothing_else_is_taken(address: str) -> None:
    with pytest.raises(InvalidAddress):
        read(address, allowed_hosts=frozenset())


def test_a_private_host_is_taken_if_it_is_allowed() -> None:
    address = read("ntfy://127.0.0.1:8099/lots-of-oak", allowed_hosts={"127.0.0.1"})
    assert address.stored == "ntfy://127.0.0.1:8099/lots-of-oak"


@pytest.mark.parametrize(
    ("key", "filled"),
    [
        ("mattermost", {"server": "https://chat.example.org/api/token"}),
        ("rocketchat", {"server": "https://chat.example.org/hooks/one"}),
        ("ntfy", {"server": "ntfy.sh", "topic": "topic"}),
        ("ntfy", {"server": "https://user@ntfy.sh", "topic": "topic"}),
        ("gotify", {"server": "ftp://push.example.org", "token": "abcdefgh"}),
        ("signal", {"server": "https://signal.example.org/sub", "sender": "+33123456789", "receiver": "+33"}),
    ],
)
def test_what_is_no_address_of_a_service_is_refused(key: str, filled: dict[str, str]) -> None:
    with pytest.raises(InvalidAddress, match=SERVICES[key].name):
        written(SERVICES[key], filled)


def test_a_plug_in_reaches_the_network_by_requests_only_so_the_guard_sees_all_of_it() -> None:
    others = {
        "socket",
        "http",
        "urllib",
        "urllib3",
        "aiohttp",
        "httpx",
        "smtplib",
        "asyncio",
        "subprocess",
        "ssl",
    }
    for service in SERVICES.values():
        found = importlib.util.find_spec(f"apprise.plugins.{service.plugin[0]}")
        assert found
        assert found.origin
        for node in ast.walk(ast.parse(Path(found.origin).read_text())):
            if isinstance(node, ast.Import):
                assert not others & {name.name.split(".")[0] for name in node.names}, service.key
                assert all(not name.asname for name in node.names if name.name == "requests"), service.key
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                module = (node.module or "").split(".")[0]
                names = {name.name for name in node.names}
                assert module not in others | {"requests"} or names <= {"quote", "unquote"}, service.key


def test_neither_a_start_nor_a_page_loads_apprise() -> None:
    """It is loaded when a chat is added or written to."""
    asked = (
        "import django, sys; django.setup(); import lesubscribe.urls, notifications.tasks;"
        "print([name for name in sys.modules if name.split('.')[0] == 'apprise'])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, timeout=600, check=True
    )
    assert answer.stdout.strip().splitlines()[-1] == "[]"
