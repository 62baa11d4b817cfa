import pytest

from lesubscribe.security.browsers import in_words

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/604.1"


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Windows",
        ),
        (f"Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/140.0.0.0 Safari/537.36", "Chrome on Linux"),
        (f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        (f"Mozilla/5.0 (Linux; Android 15) {WEBKIT} Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"),
        (f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) {SAFARI}", "Safari on iPhone"),
        (f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {SAFARI}", "Safari on macOS"),
        ("Something/1.0 (Linux)", "a browser on Linux"),
        ("curl/8.5.0", "curl"),
        ("<script>alert(1)</script>", "an unknown browser"),
        ("", "an unknown browser"),
    ],
)
def test_a_browser_is_named_as_its_owner_would(user_agent: str, words: str) -> None:
    assert in_words(user_agent) == words
