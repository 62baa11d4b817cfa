"""Plug-ins of apprise: loaded when one is needed, each alone, and never told to wait or to ask elsewhere.

apprise itself would load all 180 of them to find out whose an address is; our table knows. The first one
costs some 0.1 s in a process of ours, each other one some ms.
"""

from functools import cache
from importlib import import_module
from typing import Any, Protocol

from notifications.chat.guard import GUARDED
from notifications.chat.services import Service


class Plugin(Protocol):
    """What we need of one."""

    host: str
    port: int | None
    secure: bool

    def url(self, privacy: bool = False) -> str: ...

    def notify(self, *, body: str, title: str, body_format: str) -> bool: ...

    def __len__(self) -> int: ...


def opened(service: Service, address: str) -> Plugin:
    """The plug-in for this address, in apprise's notation or the service's own. Raises ValueError."""
    kind = _plugin_class(*service.plugin)
    read = kind.parse_native_url if address.startswith(("http://", "https://")) else kind.parse_url
    parsed = read(address)
    if not parsed:
        raise ValueError("not an address of this service")
    plugin = kind(**{**parsed, **service.options, "asset": _asset()})  # a ValueError, too, if it is no good
    plugin.throttle = _do_not_wait
    return plugin  # type: ignore[no-any-return] # apprise says little of its types


@cache
def _plugin_class(module: str, name: str) -> Any:
    found: Any = import_module(f"apprise.plugins.{module}")
    found.requests = GUARDED
    return getattr(found, name)


@cache
def _asset() -> Any:
    """Our name, no pictures of apprise's, and nothing written to a disk."""
    from apprise.asset import AppriseAsset

    return AppriseAsset(
        app_id="Le Subscribe",
        app_desc="Le Subscribe",
        app_url="",
        image_url_mask="",
        image_url_logo="",
        image_path_mask="",
        storage_mode="memory",
        async_mode=False,
    )


def _do_not_wait(*args: Any, **options: Any) -> None:
    """A thread that sleeps sends nothing else; when to try again is in the database."""
