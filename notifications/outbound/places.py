"""Where we do not send to: machines of our own network, whatever form their address takes.

An IPv6 address may have an IPv4 address inside, which a gateway on the way unpacks. So both are looked at.
"""

import ipaddress
from ipaddress import IPv4Address, IPv6Address, IPv6Network

from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_lazy

Address = IPv4Address | IPv6Address

_METADATA = {"169.254.169.254", "100.100.100.200", "fd00:ec2::254"}  # where clouds keep a machine's secrets
_NOT_PUBLIC = {  # what the standard library takes for public, or has no name for
    ipaddress.ip_network("100.64.0.0/10"): gettext_lazy("shared by the customers of a provider"),
    ipaddress.ip_network("192.88.99.0/24"): gettext_lazy("reserved"),
    ipaddress.ip_network("64:ff9b:1::/48"): gettext_lazy("private"),
    ipaddress.ip_network("fec0::/10"): gettext_lazy("private"),
    ipaddress.ip_network("3fff::/20"): gettext_lazy("reserved"),
}
_NAT64 = IPv6Network("64:ff9b::/96")


class Refused(Exception):  # noqa: N818 - named for what happened
    """We do not send there; `is_forever` if that is the fault of the URL itself, not of the name servers."""

    def __init__(self, sentence: str, *, is_forever: bool = False) -> None:
        super().__init__(sentence)
        self.is_forever = is_forever


def check(address: str, *, is_forever: bool = False) -> None:
    """Raises Refused unless all that a packet to this address may reach is on the public internet."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        raise Refused(
            _("{address} is not an address we can send to.", address=address), is_forever=is_forever
        ) from None
    for reached in _reached_by(parsed):
        if what := _not_public(reached):
            place = str(reached)
            if reached != parsed:
                place = _("{reached} (through {address})", reached=reached, address=address)
            sentence = _("We do not send to {place}: it is {what}.", place=place, what=what)
            raise Refused(sentence, is_forever=is_forever)


def _reached_by(address: Address) -> tuple[Address, ...]:
    """An address that stands for an IPv4 address is as good as that; a tunnel has two ends.

    IPv4-compatible and Teredo addresses are refused for what they are, whatever is in them.
    """
    if isinstance(address, IPv4Address):
        return (address,)
    if address.ipv4_mapped:
        return (address.ipv4_mapped,)
    if address in _NAT64:
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    if address.sixtofour:
        return (address, address.sixtofour)
    return (address,)


def _not_public(address: Address) -> str:
    """What else it is; empty if it is public."""
    if str(address) in _METADATA:
        return _("the metadata service of a cloud")
    if isinstance(address, IPv6Address) and address.scope_id:
        return _("link-local")
    for network, what in _NOT_PUBLIC.items():
        if address in network:
            return str(what)
    for words, applies in (
        (gettext_lazy("unspecified"), address.is_unspecified),
        (gettext_lazy("loopback"), address.is_loopback),
        (gettext_lazy("link-local"), address.is_link_local),
        (gettext_lazy("multicast"), address.is_multicast),
        (gettext_lazy("reserved"), address.is_reserved),
        (gettext_lazy("private"), not address.is_global),
    ):
        if applies:
            return str(words)
    return ""
