"""Addresses that must not be connected to, in more than two hundred forms."""

from collections.abc import Iterator

LOOPBACK = ["127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "localhost", "localhost.", "LOCALHOST"]
NUMBERS = [
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0x7f.0x0.0x0.0x1",
    "127.0.0.0x1",
]
FULL_WIDTH = ["①②⑦.⓪.⓪.①", "\uff11\uff12\uff17.\uff10.\uff10.\uff11", "127。0。0。1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ"]
PRIVATE = [
    *("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"),
    *("0.0.0.0", "0", "0.0.0.1", "0.1.2.3", "100.64.0.1", "100.127.255.255", "192.0.0.1", "192.0.2.1"),
    *("198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "192.88.99.1", "240.0.0.1"),
    *(
        "255.255.255.255",
        "224.0.0.1",
        "239.255.255.255",
        "169.254.0.1",
        "0xa000001",
        "167772161",
        "012.0.0.1",
    ),
]
METADATA = ["169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "100.100.100.200"]
IPV4_WITHIN = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "100.100.100.200", "172.16.0.1"]
IPV6 = [
    *("::1", "::", "0:0:0:0:0:0:0:1", "fe80::1", "fe80::1%25lo", "fe80::1%25eth0", "fec0::1", "fc00::1"),
    *("fd00::1", "fd00:ec2::254", "ff02::1", "ff0e::1", "2001:db8::1", "100::1", "2001::1", "3fff::1"),
    *("64:ff9b:1::1", "64:ff9b:1:7f00:0:100::", "2001:2::1", "2001:10::1", "5f00::1", "::2", "::ffff:0:0"),
]


def hidden_in_ipv6(address: str) -> Iterator[str]:
    """Mapped, compatible, 6to4, NAT64 and Teredo."""
    one, two, three, four = (int(part) for part in address.split("."))
    high, low = f"{one:02x}{two:02x}", f"{three:02x}{four:02x}"
    yield f"::ffff:{address}"
    yield f"0:0:0:0:0:ffff:{high}:{low}"
    yield f"::{address}"
    yield f"2002:{high}:{low}::1"
    yield f"64:ff9b::{address}"
    yield f"64:ff9b:1::{high}:{low}"
    yield f"2001:0:{high}:{low}:8000:63bf:3fff:fdd2"
    yield f"2001:0:4136:e378:8000:63bf:{int(high, 16) ^ 0xFFFF:x}:{int(low, 16) ^ 0xFFFF:x}"


def hostile_urls(port: int) -> list[str]:
    hosts = [*LOOPBACK, *NUMBERS, *FULL_WIDTH, *PRIVATE, *METADATA]
    hosts += [f"[{address}]" for address in IPV6]
    hosts += [f"[{hidden}]" for address in IPV4_WITHIN for hidden in hidden_in_ipv6(address)]
    return [
        *(f"http://{host}:{port}/" for host in hosts),
        *(f"https://{host}:{port}/" for host in hosts),
        *(f"http://{host}/latest/meta-data/" for host in METADATA),
        f"http://example.org@127.0.0.1:{port}/",
        f"http://127.0.0.1:{port}@example.org/",
        f"http://user:password@127.0.0.1:{port}/",
        f"http://:@127.0.0.1:{port}/",
        f"http://example.org:80@127.0.0.1:{port}/",
        f"http://127.0.0.1:{port}\\@example.org/",
        f"http://example.org\\@127.0.0.1:{port}/",
        f"http://127.0.0.1:{port}#@example.org/",
        f"http://127.0.0.1:{port}?@example.org/",
        f"http://127.0.0.1\t:{port}/",
        f"http://127.0.0.1\n:{port}/",
        f"http://127.0.0.1\r\n:{port}/",
        f"http://127.0.0.1 :{port}/",
        f"http://127.0.0.1:{port}/\r\nHost: example.org",
        f"http:/127.0.0.1:{port}/",
        f"http:127.0.0.1:{port}/",
        f"http:///127.0.0.1:{port}/",
        f"//127.0.0.1:{port}/",
        f"127.0.0.1:{port}",
        f"http://[127.0.0.1]:{port}/",
        f"http://[::1:{port}/",
        f"http://::1:{port}/",
        f"http://[::1]]:{port}/",
        f"http://[[::1]]:{port}/",
        f"http://[::1]@example.org:{port}/",
        "http://127.0.0.1:0/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:-1/",
        "http://127.0.0.1:http/",
        "http://",
        "http://:80/",
        "http://./",
        "http://../",
        "",
        f"HTTP://127.0.0.1:{port}/",
        f"ftp://127.0.0.1:{port}/",
        f"gopher://127.0.0.1:{port}/_GET",
        f"dict://127.0.0.1:{port}/",
        f"ldap://127.0.0.1:{port}/",
        f"ws://127.0.0.1:{port}/",
        f"unix://127.0.0.1:{port}/",
        "file:///etc/passwd",
        "data:text/plain,hello",
        "javascript:alert(1)",
        f"http://{'a' * 64}.example:{port}/",
        f"http://127.0.0.1%00.example.org:{port}/",
        f"http://127.0.0.1%2f.example.org:{port}/",
        f"http://%31%32%37.0.0.1:{port}/",
    ]
