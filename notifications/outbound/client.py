"""Requests to an address that a stranger chose, without being led to our own network or held up.

The host is looked up once; every address it has must be public, and the connection goes to one of those very
addresses, so a second answer of the name server has no say. There are no redirects and no proxies. All of it,
from the lookup to the last byte of the answer, has one deadline.

This is the standard library's client on a socket of our own: we must have our hand on the socket between the
connection and the TLS handshake, which urllib3 offers no public way to. requests-hardened looks only at the
first address of a host, and its deadline is one for each read.
"""

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import urlsplit

from notifications.outbound import places
from notifications.outbound.connecting import connected
from notifications.outbound.deadline import WATCHDOG, Watch, left_until
from notifications.outbound.places import Refused
from notifications.outbound.resolving import Resolver, addresses
from schema_registry.core.sentences import gettext as _

MOST_BYTES = 64 * 1024
_PORTS = {"http": 80, "https": 443}
_SECONDS_FOR_A_NAME = 5.0


class NoAnswer(Exception):  # noqa: N818 - named for what happened
    """The request did not get through, or its answer did not come back in time. The sentence says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # with names in lower case
    body: bytes  # the first `MOST_BYTES` of it


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The parts of a URL. `host` is what the receiver is called, in the Host header and in TLS."""

    is_secure: bool
    host: str
    port: int
    target: str


@dataclass(frozen=True, slots=True)
class _Asked:
    method: str
    body: bytes | None
    headers: Mapping[str, str]


@cache
def _trusting_the_usual_authorities() -> ssl.SSLContext:
    return ssl.create_default_context()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outbound:
    """`allowed_hosts`, as `host` or `host:port`, may be private. May be used by many threads."""

    allowed_hosts: Collection[str] = ()
    seconds: float = 15.0
    resolver: Resolver = socket.getaddrinfo
    trust: ssl.SSLContext = field(default_factory=_trusting_the_usual_authorities)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Raises Refused, NoAnswer."""
        return self.request("POST", url, body, headers, ends_at=self.deadline())

    def deadline(self) -> float:
        """Of what begins now, by the monotonic clock."""
        return time.monotonic() + self.seconds

    def request(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], *, ends_at: float
    ) -> Answer:
        """One of several that share a deadline. Raises Refused, NoAnswer."""
        place = _parsed(url)
        sock = self._connected(place, ends_at)
        try:
            with WATCHDOG.watching(sock, ends_at=ends_at) as watch:
                return self._exchanged(sock, place, _Asked(method, body, headers), watch)
        finally:
            sock.close()

    def _connected(self, place: _Place, ends_at: float) -> socket.socket:
        found = self._checked_addresses(place, ends_at)
        try:
            return connected(found, place.port, ends_at=ends_at)
        except OSError as failure:
            raise NoAnswer(_could_not_connect(place, failure)) from failure

    def _checked_addresses(self, place: _Place, ends_at: float) -> list[str]:
        seconds = min(_SECONDS_FOR_A_NAME, left_until(ends_at))
        try:
            found = addresses(place.host, place.port, resolver=self.resolver, seconds=seconds)
        except TimeoutError as error:
            raise NoAnswer(str(error)) from None
        except OSError:
            raise NoAnswer(_("There is no host {host}.", host=place.host)) from None
        if not self._is_allowed(place):
            for address in found:
                places.check(address, is_forever=_is_an_address(place.host))
        return found

    def _is_allowed(self, place: _Place) -> bool:
        names = (place.host, f"{place.host}:{place.port}", f"[{place.host}]:{place.port}")
        return any(allowed.lower() in names for allowed in self.allowed_hosts)

    def _exchanged(self, sock: socket.socket, place: _Place, asked: _Asked, watch: Watch) -> Answer:
        headers = {**asked.headers, "Accept-Encoding": "identity"}
        try:
            with closing(self._connection(sock, place)) as connection:
                connection.request(asked.method, place.target, asked.body, headers)
                with connection.getresponse() as response:
                    read = response.read(MOST_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(self._what_happened(error, watch)) from error
        if watch.has_struck:  # the answer was cut short; reading it does not always tell
            raise NoAnswer(self._too_slow())
        names = {name.lower(): value for name, value in response.headers.items()}
        return Answer(status=response.status, headers=names, body=read)

    def _connection(self, sock: socket.socket, place: _Place) -> http.client.HTTPConnection:
        """HTTP over this socket and no other; by itself the client would look the host up again."""
        connection = http.client.HTTPConnection(place.host, place.port)
        if place.is_secure:
            connection = http.client.HTTPSConnection(place.host, place.port, context=self.trust)
            sock = self.trust.wrap_socket(sock, server_hostname=place.host)
        connection.auto_open = 0
        connection.sock = sock
        return connection

    def _what_happened(self, error: Exception, watch: Watch) -> str:
        if watch.has_struck or isinstance(error, TimeoutError):
            return self._too_slow()
        if isinstance(error, ssl.SSLCertVerificationError):
            return _("Its certificate was not accepted: {why}.", why=error.verify_message)
        if isinstance(error, ssl.SSLError):
            return _("The TLS connection failed: {why}.", why=error.reason)
        if isinstance(error, (ConnectionError, http.client.IncompleteRead)):
            return _("The connection was closed before an answer came.")
        return _("What came back is not an HTTP answer ({kind}).", kind=type(error).__name__)

    def _too_slow(self) -> str:
        return _("There was no whole answer within {seconds} s.", seconds=f"{self.seconds:g}")


def _parsed(url: str) -> _Place:
    """Raises Refused."""
    refusal = Refused(_("This is not an http or https address."), is_forever=True)
    if not url.isprintable() or any(character in url for character in ' \\"<>^`{|}'):
        raise refusal
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # brackets that do not fit, a port that is none, a host that cannot be
        raise refusal from None
    if parts.scheme not in _PORTS or not host or port == 0:
        raise refusal
    if "@" in parts.netloc:
        raise Refused(_("An address must not have a user name or password in it."), is_forever=True)
    if "%" in host:
        raise Refused(_("We do not send to an address with a zone: it is link-local."), is_forever=True)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not target.isascii():
        raise refusal
    return _Place(
        is_secure=parts.scheme == "https", host=host, port=port or _PORTS[parts.scheme], target=target
    )


def _is_an_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _could_not_connect(place: _Place, error: OSError) -> str:
    why = _("it took too long") if isinstance(error, TimeoutError) else error.strerror or str(error)
    return _("Could not connect to {host}, port {port}: {why}.", host=place.host, port=place.port, why=why)
