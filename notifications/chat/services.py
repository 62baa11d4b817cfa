"""The services that people may be told on, one row each. Of apprise's many plug-ins no other is ever loaded.

A row says what a person fills in, how that becomes the service's address in apprise's notation, and what of
it is secret. Where the host is the service's own, nothing is sent to another; where a person gives it,
nothing is sent to another than that one. Left out is what keeps a session or keys between messages (Matrix),
or needs a program on this machine.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext_lazy as _

from notifications.chat import writing
from notifications.chat.writing import Filled

Text = Any  # a sentence that is translated when it is read
NTFY = "https://ntfy.sh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What a person fills in."""

    name: str
    label: Text
    help: Text = ""
    example: str = ""
    initial: str = ""
    is_needed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """`write` makes an address in apprise's notation of what was filled in; it raises ValueError.

    `secrets` and `targets` are what the plug-in calls them. `holds` is what an attribute of it must be. A
    status in `gone` says that the address leads nowhere any more.
    """

    key: str
    name: str
    schemes: tuple[str, ...]
    plugin: tuple[str, str]  # its module, and the class in it
    hosts: tuple[str, ...]  # none: a person gives it
    fields: tuple[Field, ...]
    where: Text
    write: Callable[[Filled], str]
    secrets: tuple[str, ...]
    most: int  # characters in a message
    targets: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    holds: Mapping[str, object] = field(default_factory=dict)
    gone: frozenset[int] = frozenset({410})
    is_markdown: bool = False  # a plain text would be escaped, its links too


def service_of(address: str) -> Service | None:
    """By the scheme, whether its secrets are there or left out; or by the host of a webhook's address."""
    scheme, _colon, rest = address.partition("://")
    if scheme.lower() in ("http", "https"):
        return _BY_HOST.get(rest.partition("/")[0].lower())
    return _BY_SCHEME.get(scheme.lower())


_WEBHOOK = _("Webhook address")
_SERVER = _("Server")

_ROWS = (
    Service(
        key="telegram",
        name="Telegram",
        schemes=("tgram",),
        plugin=("telegram", "NotifyTelegram"),
        hosts=("api.telegram.org",),
        fields=(
            Field(name="token", label=_("Token of your bot"), example="123456789:AAHdqTcvCH1vGWJxfSe…"),
            Field(
                name="chat",
                label=_("Chat"),
                help=_("The number of a chat with your bot, or the @name of a channel."),
                example="-1001234567890",
            ),
        ),
        where=_("Write to @BotFather to make a bot, then write to your bot once, so that it may answer."),
        write=writing.telegram,
        secrets=("bot_token",),
        targets="targets",
        options={"detect_owner": False, "include_image": False},
        most=3_000,
        gone=frozenset({401, 403, 404, 410}),
    ),
    Service(
        key="discord",
        name="Discord",
        schemes=("discord",),
        plugin=("discord", "NotifyDiscord"),
        hosts=("discord.com",),
        fields=(Field(name="server", label=_WEBHOOK, example="https://discord.com/api/webhooks/1234/AbCd…"),),
        where=_("In Discord: Server settings, Integrations, Webhooks, New webhook, Copy webhook URL."),
        write=writing.as_it_is,
        secrets=("webhook_id", "webhook_token"),
        options={"avatar": False, "include_image": False, "footer": False, "tts": False},
        most=1_600,
        gone=frozenset({401, 404, 410}),
    ),
    Service(
        key="slack",
        name="Slack",
        schemes=("slack",),
        plugin=("slack", "NotifySlack"),
        hosts=("hooks.slack.com",),
        fields=(
            Field(
                name="server",
                label=_WEBHOOK,
                example="https://hooks.slack.com/services/T0000/B0000/XXXX…",
            ),
        ),
        where=_("In Slack: make an app, switch on Incoming webhooks, and add one for a channel."),
        write=writing.as_it_is,
        secrets=("token_a", "token_b", "token_c"),
        options={"include_image": False, "include_footer": False, "include_timestamp": False},
        holds={"mode": "hook"},
        most=3_000,
        gone=frozenset({404, 410}),
    ),
    Service(
        key="mattermost",
        name="Mattermost",
        schemes=("mmost", "mmosts"),
        plugin=("mattermost", "NotifyMattermost"),
        hosts=(),
        fields=(Field(name="server", label=_WEBHOOK, example="https://chat.example.org/hooks/xfq8g7…"),),
        where=_("In Mattermost: Integrations, Incoming webhooks, Add incoming webhook."),
        write=writing.mattermost,
        secrets=("token",),
        options={"include_image": False},
        holds={"mode": "webhook"},
        most=3_000,
    ),
    Service(
        key="rocketchat",
        name="Rocket.Chat",
        schemes=("rocket", "rockets"),
        plugin=("rocketchat", "NotifyRocketChat"),
        hosts=(),
        fields=(Field(name="server", label=_WEBHOOK, example="https://chat.example.org/hooks/64f0…/Xn2s…"),),
        where=_("In Rocket.Chat: Administration, Integrations, New, Incoming; save it with a channel."),
        write=writing.rocket_chat,
        secrets=("webhook",),
        options={"avatar": False},
        holds={"mode": "webhook"},
        most=900,
        is_markdown=True,
    ),
    Service(
        key="ntfy",
        name="ntfy",
        schemes=("ntfy", "ntfys"),
        plugin=("ntfy", "NotifyNtfy"),
        hosts=(),
        fields=(
            Field(
                name="topic",
                label=_("Topic"),
                help=_("Whoever knows it reads along, so take one that nobody guesses."),
                example="oak-tables-k3vq8",
            ),
            Field(name="server", label=_SERVER, initial=NTFY),
            Field(
                name="token",
                label=_("Access token"),
                help=_("Only for a topic that is protected."),
                example="tk_…",
                is_needed=False,
            ),
        ),
        where=_("Install the ntfy app and subscribe to the topic there."),
        write=writing.ntfy,
        secrets=("topics", "token", "password"),
        targets="topics",
        options={"include_image": False},
        holds={"mode": "private"},
        most=1_200,  # the server takes 4 kB
    ),
    Service(
        key="gotify",
        name="Gotify",
        schemes=("gotify", "gotifys"),
        plugin=("gotify", "NotifyGotify"),
        hosts=(),
        fields=(
            Field(name="server", label=_SERVER, example="https://push.example.org"),
            Field(name="token", label=_("Token of the application"), example="AbCdE.fghi…"),
        ),
        where=_("In Gotify: Apps, Create application; its token is in the list."),
        write=writing.gotify,
        secrets=("token",),
        most=3_000,
        gone=frozenset({401, 410}),
    ),
    Service(
        key="pushover",
        name="Pushover",
        schemes=("pover",),
        plugin=("pushover", "NotifyPushover"),
        hosts=("api.pushover.net",),
        fields=(
            Field(name="user", label=_("Your user key"), example="uQiRzpo4DXghDmr9QzzfQu27cmVRsG"),
            Field(
                name="token", label=_("Token of your application"), example="azGDORePK8gMaC0QOYAMyEEuzJnyUi"
            ),
        ),
        where=_("On pushover.net: the user key is on the first page; make an application for the token."),
        write=writing.pushover,
        secrets=("user_key", "token"),
        most=900,
    ),
    Service(
        key="signal",
        name="Signal",
        schemes=("signal", "signals"),
        plugin=("signal_api", "NotifySignalAPI"),
        hosts=(),
        fields=(
            Field(
                name="server",
                label=_SERVER,
                help=_("Where your signal-cli-rest-api runs."),
                example="https://signal.example.org",
            ),
            Field(name="sender", label=_("Number it sends from"), example="+33123456789"),
            Field(name="receiver", label=_("Your number"), example="+33987654321"),
        ),
        where=_("It needs a server of your own, signal-cli-rest-api, with a registered number."),
        write=writing.signal,
        secrets=("source", "targets"),
        targets="targets",
        most=1_600,
    ),
)
SERVICES: Mapping[str, Service] = MappingProxyType({service.key: service for service in _ROWS})
_BY_SCHEME = {scheme: service for service in _ROWS for scheme in service.schemes}
_BY_HOST = {
    "discord.com": SERVICES["discord"],
    "discordapp.com": SERVICES["discord"],
    "hooks.slack.com": SERVICES["slack"],
}
