"""Where a chat is: read from what a person gave, checked, and written in the one form that is stored.

An address has tokens in it, with which anybody could write there. It is stored like the secret of a webhook;
what is shown has their last characters only.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from notifications import addresses
from notifications.addresses import InvalidAddress
from notifications.chat.plugins import Plugin, opened
from notifications.chat.services import SERVICES, Service, service_of
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

LONGEST = 2_000
_SHORTEST_SECRET_TO_LOOK_FOR = 4


@dataclass(frozen=True, slots=True)
class ChatAddress:
    """`stored` is secret, `shown` is not."""

    service: Service
    stored: str
    shown: str


def written(service: Service, filled: Mapping[str, str]) -> str:
    """The address that these fields say. Raises InvalidAddress."""
    try:
        return service.write(filled)
    except ValueError:
        raise _refusal(service) from None


def read(raw: str, *, allowed_hosts: Set[str]) -> ChatAddress:
    """Raises InvalidAddress."""
    raw = raw.strip(" ")
    if len(raw) > LONGEST:
        raise InvalidAddress(_("An address has at most {most:,} characters.", most=LONGEST))
    service = service_of(raw)
    if service is None:
        names = ", ".join(each.name for each in SERVICES.values())
        raise InvalidAddress(
            _("We can tell you on {names}; this is an address of none of them.", names=names)
        )
    if not raw.isprintable() or "?" in raw:
        raise InvalidAddress(_("Leave out what comes after the question mark: we set the options."))
    plugin = _opened(service, raw)
    stored = plugin.url().partition("?")[0].rstrip("/")
    if len(stored) > LONGEST or _opened(service, stored).url() != plugin.url():
        raise _refusal(service)
    if not service.hosts:
        addresses.webhook_url(_server_of(plugin), allowed_hosts=allowed_hosts)
    return ChatAddress(service, stored, _without_secrets(stored, service, plugin))


def hosts_of(service: Service, plugin: Plugin) -> tuple[str, ...]:
    """Those to which a message may go."""
    return service.hosts or (plugin.host,)


def secrets_of(service: Service, plugin: Plugin) -> Iterator[str]:
    for name in service.secrets:
        value: Any = getattr(plugin, name, None)
        for each in value if isinstance(value, (list, tuple, set)) else [value]:
            if each is not None and str(each):
                yield str(each)


def hidden(text: str, secrets: Iterator[str]) -> str:
    """Without them, however they are written in an address."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET_TO_LOOK_FOR:
            for form in {secret, quote(secret, safe=""), quote(secret, safe=":")}:
                text = text.replace(form, "***")
    return text


def _opened(service: Service, address: str) -> Plugin:
    try:
        plugin = opened(service, address)
    except ValueError:
        raise _refusal(service) from None
    is_as_it_should = all(getattr(plugin, name, None) == value for name, value in service.holds.items())
    targets = getattr(plugin, service.targets) if service.targets else [plugin]
    if not is_as_it_should or not targets:
        raise _refusal(service)
    if len(plugin) != 1:
        raise InvalidAddress(
            _("One channel is for one chat, and this names several: write one, without spaces or commas.")
        )
    return plugin


def _server_of(plugin: Plugin) -> str:
    port = f":{plugin.port}" if plugin.port else ""
    return f"{'https' if plugin.secure else 'http'}://{plugin.host}{port}/"


def _without_secrets(stored: str, service: Service, plugin: Plugin) -> str:
    shown = stored
    for secret in sorted(secrets_of(service, plugin), key=len, reverse=True):
        for form in (secret, quote(secret, safe=""), quote(secret, safe="+")):
            if form in shown:
                shown = shown.replace(form, _hint(secret))
                break
        else:
            raise _refusal(service)  # rather than to show it
    return shown


def _hint(secret: str) -> str:
    """So much that its owner knows which one it is."""
    return f"…{secret[len(secret) - min(4, len(secret) // 3) :]}"


def _refusal(service: Service) -> InputError:
    return InvalidAddress(_("This is not an address of {service} as we need it.", service=service.name))
