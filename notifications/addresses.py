"""Where a channel leads, in the one form that is stored, so that equal addresses are equal texts."""

import socket
from collections.abc import Set
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from notifications.outbound import places
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import shown

LONGEST_WEBHOOK = 2_000
LONGEST_EMAIL = 254  # RFC 5321
_PORTS = {"http": 80, "https": 443}
_is_email = EmailValidator(allowlist=[])  # no localhost: its mails would stay with us


class InvalidAddress(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "invalid_address"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.faults = {"address": sentence}


def email_address(raw: str) -> str:
    """In lower case, its domain in ASCII. Raises InvalidAddress."""
    refusal = InvalidAddress(_("{address} is not an email address.", address=shown(raw)))
    local, _at, domain = raw.strip(" ").rpartition("@")
    if len(raw) > LONGEST_EMAIL or local.startswith('"'):
        raise refusal
    address = f"{local}@{_in_ascii(domain)}".lower()
    try:
        _is_email(address)
    except ValidationError:
        raise refusal from None
    if len(address) > LONGEST_EMAIL or "[" in domain:
        raise refusal
    return address


def webhook_url(raw: str, *, allowed_hosts: Set[str] = frozenset()) -> str:
    """An http or https address, escaped, its host in lower case and ASCII. Raises InvalidAddress.

    A host that is plainly our own machine or network is refused, unless it is one of the allowed, as
    `host` or `host:port`. Names are looked up when something is sent.
    """
    if len(raw) > LONGEST_WEBHOOK:
        most, count = LONGEST_WEBHOOK, len(raw)
        raise InvalidAddress(
            _("An address has at most {most:,} characters, not {count:,}.", most=most, count=count)
        )
    url = _parsed(raw.strip(" "))
    if url.auth is not None:
        raise InvalidAddress(_("An address must not have a user name or password in it."))
    if url.fragment is not None:
        raise InvalidAddress(_("An address must not have a fragment, the part from #."))
    usual_port = _PORTS[url.scheme or ""]
    host = (url.host or "").strip("[]")
    if allowed_hosts.isdisjoint({host, f"{url.host}:{url.port or usual_port}"}):
        _refuse_private(host.removesuffix("."))
    port = None if url.port == usual_port else url.port
    address = Url(url.scheme, None, url.host, port, url.path or "/", url.query, None).url
    if len(address) > LONGEST_WEBHOOK:
        raise InvalidAddress(
            _("Escaped, this address has more than {most:,} characters.", most=LONGEST_WEBHOOK)
        )
    return address


def _refuse_private(host: str) -> None:
    """Raises InvalidAddress for an address that is not public, in whatever notation, and for localhost."""
    try:
        if host == "localhost" or host.endswith(".localhost"):
            raise places.Refused(_("We do not send to {host}: it is this machine.", host=host))
        if (address := _as_address(host)) is not None:
            places.check(address)
    except places.Refused as refused:
        raise InvalidAddress(str(refused)) from None


def _as_address(host: str) -> str | None:
    """An IP address in its usual notation; None for a name."""
    if ":" in host:
        return host
    try:
        return socket.inet_ntoa(socket.inet_aton(host))  # 127.1, 0x7f000001, 2130706433
    except OSError:
        return None


def _parsed(raw: str) -> Url:
    refusal = InvalidAddress(_("{address} is not an http or https address.", address=shown(raw)))
    if not raw.isprintable() or "\\" in raw:
        raise refusal
    try:
        host = urlsplit(raw).hostname or ""
        url = parse_url(raw if host.isascii() else raw.replace(urlsplit(raw).netloc, _ascii_place(raw), 1))
    except (LocationParseError, ValueError):
        raise refusal from None
    if url.scheme not in _PORTS or not url.host or url.port == 0:
        raise refusal
    return url


def _ascii_place(raw: str) -> str:
    """Host and port, the host in ASCII; what must not be there stays, to be refused later."""
    place = urlsplit(raw).netloc
    before, at, rest = place.rpartition("@")
    host, colon, port = rest.partition(":")
    return f"{before}{at}{_in_ascii(host)}{colon}{port}"


def _in_ascii(domain: str) -> str:
    try:
        return domain.encode("idna").decode("ascii")
    except UnicodeError:
        raise InvalidAddress(_("{name} is not a host name.", name=shown(domain))) from None
