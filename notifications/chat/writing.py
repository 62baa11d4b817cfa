"""From what a person fills in to an address in apprise's notation. All raise ValueError for what is none."""

from collections.abc import Mapping
from urllib.parse import quote, urlsplit

Filled = Mapping[str, str]


def _server(filled: Filled) -> tuple[bool, str, str]:
    """Of a server's address: whether it is secure, host and port, and the path without the last slash."""
    parts = urlsplit(filled["server"].strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or "@" in parts.netloc:
        raise ValueError("not the address of a server")
    return parts.scheme == "https", parts.netloc, parts.path.rstrip("/")


def _quoted(text: str, *, safe: str = "") -> str:
    return quote(text.strip(), safe=safe)


def telegram(filled: Filled) -> str:
    return f"tgram://{_quoted(filled['token'], safe=':')}/{_quoted(filled['chat'], safe='@')}"


def as_it_is(filled: Filled) -> str:
    return filled["server"].strip()


def mattermost(filled: Filled) -> str:
    is_secure, place, path = _server(filled)
    before, hooks, token = path.rpartition("/hooks/")
    if not hooks or not token:
        raise ValueError("not the address of a webhook")
    return f"{'mmosts' if is_secure else 'mmost'}://{place}{before}/{token}"


def rocket_chat(filled: Filled) -> str:
    is_secure, place, path = _server(filled)
    hooks, _slash, tokens = path.lstrip("/").partition("/")
    if hooks != "hooks" or tokens.count("/") != 1:
        raise ValueError("not the address of a webhook")
    return f"{'rockets' if is_secure else 'rocket'}://{tokens}@{place}"


def ntfy(filled: Filled) -> str:
    is_secure, place, path = _server(filled)
    if path:
        raise ValueError("a path cannot be kept")
    token = f"{_quoted(filled['token'])}@" if filled.get("token") else ""
    return f"{'ntfys' if is_secure else 'ntfy'}://{token}{place}/{_quoted(filled['topic'])}"


def gotify(filled: Filled) -> str:
    is_secure, place, path = _server(filled)
    return f"{'gotifys' if is_secure else 'gotify'}://{place}{path}/{_quoted(filled['token'])}"


def pushover(filled: Filled) -> str:
    return f"pover://{_quoted(filled['user'])}@{_quoted(filled['token'])}"


def signal(filled: Filled) -> str:
    is_secure, place, path = _server(filled)
    if path:
        raise ValueError("a path cannot be kept")
    numbers = f"{_quoted(filled['sender'], safe='+')}/{_quoted(filled['receiver'], safe='+')}"
    return f"{'signals' if is_secure else 'signal'}://{place}/{numbers}"
