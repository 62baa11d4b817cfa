"""What a browser says of itself, in words: "Firefox on Windows". Only for people to recognise their own.

Every browser also names its forebears, so the order counts: Edge says that it is Chrome, and Chrome that it
is Safari.
"""

from django.utils.translation import gettext as _

_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("Python", "Python"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def in_words(user_agent: str) -> str:
    """Never what it says itself, which may be anything."""
    browser = _named(user_agent, _BROWSERS)
    system = _named(user_agent, _SYSTEMS)
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    if system:
        return _("a browser on %(system)s") % {"system": system}
    return browser or _("an unknown browser")


def _named(user_agent: str, names: tuple[tuple[str, str], ...]) -> str:
    return next((name for mark, name in names if mark in user_agent), "")
