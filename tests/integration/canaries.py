"""Secrets put into a running system, and where they must not turn up."""

import json
from typing import Any

import redis

from tests.running_system import RunningSystem


def planted(system: RunningSystem, *, hook: str, chat: str) -> dict[str, str]:
    """Somebody's key, ticket, app, webhook and chat, all in use; the secret of each."""
    program = f"from tests.integration.canaries import _plant; _plant({hook!r}, {chat!r})"
    done = system.manage("shell", "--verbosity", "0", "-c", program)
    assert done.returncode == 0, done.stderr
    made: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return made


def _plant(hook: str, chat: str) -> None:
    """Runs in a process with the settings of that system."""
    from django.utils import timezone

    from notifications import channels, links
    from notifications.models import Channel
    from schema_registry.accounts.models import Scope, User
    from schema_registry.accounts.services import issue_key
    from tests.integration.signing_in import recovery_codes_of, with_app

    now = timezone.now()
    owner = User.objects.create_user("canaries@example.org")
    key = issue_key(owner, [Scope.SUBSCRIPTIONS])[1]
    webhook = channels.add(owner, kind=Channel.Kind.WEBHOOK, address=hook, now=now)
    channels.add(owner, kind=Channel.Kind.CHAT, address=chat, now=now)
    box = channels.add(owner, kind=Channel.Kind.EMAIL, address="canaries@example.org", now=now)
    app = with_app(owner)
    secrets = {
        "key": key,
        "webhook": webhook.secret,
        "challenge": webhook.challenge,
        "app": app,
        "code": recovery_codes_of(owner)[0],
        "feed": links.atom_address(owner.pk).split("/")[-1],
        "unsubscribing": links.unsubscribe_address(box.pk).split("/")[-1],
    }
    print(json.dumps(secrets))


def in_redis(url: str) -> str:
    """Everything: what is cached, counted, and laid down for workers."""
    client = redis.Redis.from_url(url)
    read: dict[Any, Any] = {
        b"none": lambda key: None,  # it has just ended
        b"string": client.get,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"set": client.smembers,
        b"zset": lambda key: client.zrange(key, 0, -1),
        b"hash": client.hgetall,
        b"stream": client.xrange,
    }
    return repr([(key, read[client.type(key)](key)) for key in client.scan_iter()])
