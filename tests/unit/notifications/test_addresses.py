"""Addresses are stored in one form; what cannot be one, or leads to ourselves, is refused in a sentence."""

import pytest

from notifications.addresses import InvalidAddress, email_address, webhook_url


@pytest.mark.parametrize(
    ("raw", "stored"),
    [
        ("Fan@Example.ORG", "fan@example.org"),
        (" fan@example.org ", "fan@example.org"),
        ("fan+lots@bücher.example", "fan+lots@xn--bcher-kva.example"),
    ],
)
def test_an_email_address_has_one_form(raw: str, stored: str) -> None:
    assert email_address(raw) == stored


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "fan",
        "fan@",
        "@example.org",
        "fan@localhost",
        "fan@[127.0.0.1]",
        '"fan"@example.org',
        '"fan\x01"@example.org',
        "fan@example.org\r\nBcc: all@example.org",
        "fan\n@example.org",
        "fan@example.org\n",
        "fan@example.org, other@example.org",
        "Fan <fan@example.org>",
        "fän@example.org",
        f"{'x' * 250}@example.org",
        f"fan@{'x' * 300}.org",
        "fan@exa\0mple.org",
        "fan@\ud800.org",
    ],
)
def test_what_is_no_email_address_is_refused(raw: str) -> None:
    with pytest.raises(InvalidAddress) as refusal:
        email_address(raw)
    assert list(refusal.value.faults) == ["address"]
    assert "\r" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("raw", "stored"),
    [
        ("HTTPS://Shop.Example.org", "https://shop.example.org/"),
        ("https://shop.example.org:443/hook?a=b&c", "https://shop.example.org/hook?a=b&c"),
        ("http://shop.example.org:8080/", "http://shop.example.org:8080/"),
        ("https://bücher.example:8443/ä b", "https://xn--bcher-kva.example:8443/%C3%A4%20b"),
        ("https://93.184.216.34/hook", "https://93.184.216.34/hook"),
        ("https://[2606:4700::1111]/hook", "https://[2606:4700::1111]/hook"),
    ],
)
def test_a_webhook_has_one_form(raw: str, stored: str) -> None:
    assert webhook_url(raw) == stored
    assert webhook_url(stored) == stored


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("", "not an http"),
        ("shop.example.org/hook", "not an http"),
        ("//shop.example.org/hook", "not an http"),
        ("ftp://shop.example.org/", "not an http"),
        ("javascript:alert(1)", "not an http"),
        ("file:///etc/passwd", "not an http"),
        ("https:///hook", "not an http"),
        ("https://shop.example.org:99999/", "not an http"),
        ("https://shop.example.org:0/", "not an http"),
        ("https://shop example.org/", "not an http"),
        ("https://shop.example.org/\r\nHost: x", "not an http"),
        ("https://shop.example.org\\@example.com/", "not an http"),
        ("https://\ud800.example.org/", "not"),
        (f"https://{'ü' * 80}.example/", "not an http"),
        ("https://fan:secret@shop.example.org/", "user name"),
        ("https://fan@bücher.example/", "user name"),
        ("https://shop.example.org/#part", "fragment"),
        (f"https://shop.example.org/{'x' * 3_000}", "at most 2,000 characters"),
        (f"https://shop.example.org/{'é' * 1_900}", "more than 2,000 characters"),
    ],
)
def test_what_is_no_webhook_is_refused(raw: str, says: str) -> None:
    with pytest.raises(InvalidAddress, match=says):
        webhook_url(raw)


PRIVATE = [
    "localhost",
    "LOCALHOST.",
    "shop.localhost",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "10.1.2.3",
    "192.168.1.1",
    "169.254.169.254",
    "0.0.0.0",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[64:ff9b::7f00:1]",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_a_host_of_our_own_network_is_refused_however_it_is_written(host: str) -> None:
    with pytest.raises(InvalidAddress, match="We do not send to"):
        webhook_url(f"http://{host}:8080/hook")


def test_a_private_host_that_was_allowed_is_taken() -> None:
    for allowed, address in (
        ("127.0.0.1", "http://127.0.0.1:9/"),
        ("127.0.0.1:9", "http://127.0.0.1:9/"),
        ("127.0.0.1:80", "http://127.0.0.1/"),
        ("localhost", "http://localhost/"),
        ("::1", "http://[::1]:9/"),
        ("[::1]:9", "http://[::1]:9/"),
    ):
        assert webhook_url(address, allowed_hosts={allowed}) == address
        with pytest.raises(InvalidAddress):
            webhook_url("http://127.0.0.2:9/", allowed_hosts={allowed})
