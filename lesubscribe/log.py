"""Structured logs: lines for people in development, JSON for machines in production."""

import re
from collections.abc import MutableMapping
from typing import Any

import structlog

# Whoever reads such an address in a log could do himself what it is for: set a password, end a search.
_KEY_IN_ADDRESS = re.compile(
    r"(/accounts/(?:confirm-email|password/reset/key)/|/notifications/[a-z]+/"
    r"|(?:/|%2F)shared(?:/|%2F))"  # also where one comes back to after signing in
    r"(?:(?!%2F)[^/?&\s])+"  # keys have a colon, which is quoted there
)
_PROBES = ("GET /healthz", "GET /readyz", "GET /metrics")


def configure_logs(*, as_json: bool, level: str) -> dict[str, Any]:
    """Set structlog up, and return Django's LOGGING: one handler for our records and the libraries' alike."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        _drop_probes,
        _hide_keys,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso" if as_json else "%H:%M:%S", utc=as_json),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.UnicodeDecoder(),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(
            colors=False,
            pad_event_to=0,
            pad_level=False,
            # The default shows local variables, and with them keys and passwords.
            exception_formatter=structlog.dev.plain_traceback,
        )
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *([structlog.processors.format_exc_info] if as_json else []),
                    renderer,
                ],
                "foreign_pre_chain": shared,
            }
        },
        "handlers": {"standard error": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["standard error"], "level": level},
        "loggers": {
            # Every request and task is logged once by django-structlog; these would repeat it.
            "django.request": {"level": "CRITICAL"},
            "django_celery_beat.schedulers": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
            "apprise": {"level": "CRITICAL"},  # it names tokens; what came of a message is in our own log
        },
    }


def _drop_probes(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Leave out requests that somebody sends every few seconds just to see whether we are there."""
    if event.get("request") in _PROBES:
        raise structlog.DropEvent
    return event


def _hide_keys(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in ("request", "event"):
        if isinstance(event.get(name), str):
            event[name] = _KEY_IN_ADDRESS.sub(r"\1***", event[name])
    return event
