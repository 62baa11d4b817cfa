"""Logs are for us; secrets are not for logs."""

import io
import logging
import logging.config
from collections.abc import Iterator

import pytest
import structlog

from lesubscribe.log import configure_logs

CANARY = "ls_00000000_canary-that-must-not-sing"


@pytest.fixture(params=[False, True], ids=["development", "production"])
def log(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    before = structlog.get_config()
    stream = io.StringIO()
    settings = configure_logs(as_json=request.param, level="INFO")
    formatter = logging.config.DictConfigurator(settings).configure_formatter(
        settings["formatters"]["structured"]
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    logger = logging.getLogger("canary")
    logger.handlers, logger.propagate = [handler], False
    yield stream
    structlog.configure(**before)


def test_a_traceback_does_not_show_local_variables(log: io.StringIO) -> None:
    def fail() -> None:
        secret = CANARY
        raise RuntimeError(f"failed with {len(secret)} characters")

    try:
        fail()
    except RuntimeError:
        logging.getLogger("canary").exception("it broke")
    assert "failed with" in log.getvalue()
    assert CANARY not in log.getvalue()


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/login/?next=%2Fshared",
        "/shared",
        "/accounts/confirm-email",
        "/accounts/password/reset/key",
        "/notifications/atom",
        "/notifications/renew",
    ],
)
def test_keys_in_addresses_are_hidden(log: io.StringIO, path: str) -> None:
    """Whole: one that is signed has colons, which are quoted inside of an address."""
    slash, colon = ("%2F", "%3A") if "%2F" in path else ("/", ":")
    key = colon.join(["WyI3NjU0MzIxIl0", "1abcde", CANARY])
    structlog.stdlib.get_logger("canary").info("request_finished", request=f"GET {path}{slash}{key}{slash}on")
    assert f"{path}{slash}***{slash}on" in log.getvalue()
    assert CANARY not in log.getvalue()


def test_a_line_that_was_sent_makes_no_line_of_the_log(log: io.StringIO) -> None:
    forged = "GET /?q=1\nsigned_in user=1"
    structlog.stdlib.get_logger("canary").info("request_finished", request=forged)
    assert log.getvalue().count("\n") == 1


def test_probes_are_left_out(log: io.StringIO) -> None:
    structlog.stdlib.get_logger("canary").info("request_finished", request="GET /readyz")
    structlog.stdlib.get_logger("canary").info("request_finished", request="GET /")
    assert "readyz" not in log.getvalue()
    assert "GET /" in log.getvalue()
