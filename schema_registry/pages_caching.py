"""Pages of the schema change only with it, or with us: whoever has a page already is told so with 304."""

from collections.abc import Callable
from functools import lru_cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language
from django.views.decorators.http import condition, require_safe

from schema_registry import selectors

Page = Callable[..., HttpResponse]
_OURS = {".html", ".py", ".mo"}


def for_everybody(page: Page) -> Page:
    """A part of a page that is the same for all readers."""
    return _kept(page, _version_tag)


def in_the_frame(page: Page) -> Page:
    """A whole page. Its frame greets those who are signed in, so only visitors may keep theirs."""
    return _kept(page, _visitor_tag)


def _kept(page: Page, tag: Callable[[HttpRequest], str | None]) -> Page:
    @require_safe
    @condition(etag_func=lambda request, *args, **kwargs: tag(request))
    @wraps(page)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = page(request, *args, **kwargs)
        # Keep it, but ask each time; what greets its reader by name is kept by nobody in between.
        response.setdefault("Cache-Control", "private, no-cache" if _is_known(request) else "no-cache")
        patch_vary_headers(response, ["Cookie", "HX-Target", "Accept-Language"])
        return response

    return answer


def _visitor_tag(request: HttpRequest) -> str | None:
    return None if _is_known(request) else _version_tag(request)


def _is_known(request: HttpRequest) -> bool:
    return request.user.is_authenticated or len(get_messages(request)) > 0


def _version_tag(request: HttpRequest) -> str:
    key = selectors.current_version()
    part = request.headers.get("HX-Target") == "found"
    # Whoever has one page must not be told of another, which may not be there, that they have it.
    address = sha256(request.get_full_path().encode()).hexdigest()[:16]
    return f'"{key.version}-{key.token}-{_release()}-{get_language()}-{address}{"-part" if part else ""}"'


@lru_cache(maxsize=1)
def _release() -> str:
    """When our words, templates or this package last changed: a new release makes other pages."""
    places = (settings.BASE_DIR / "templates", Path(__file__).parent, *settings.LOCALE_PATHS)
    files = (file for place in places for file in Path(place).rglob("*.*") if file.suffix in _OURS)
    return f"{max(file.stat().st_mtime_ns for file in files):x}"
