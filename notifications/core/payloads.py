"""Messages as JSON bodies of webhooks: `{type, timestamp, data}`, as the Standard Webhooks spec has it."""

from datetime import datetime
from typing import Any

from notifications.core.messages import (
    ChannelDisabled,
    Content,
    Digest,
    Ending,
    ExpiresSoon,
    GivenUp,
    Item,
    MatchFound,
    Reason,
    Test,
    Verify,
)

Json = dict[str, Any]


def payload(content: Content, *, now: datetime) -> Json:
    type_, data = _type_and_data(content)
    return {"type": type_, "timestamp": now.isoformat(), "data": data}


def _type_and_data(content: Content) -> tuple[str, Json]:
    match content:
        case MatchFound():
            return "match.found", _item(content.item)
        case Digest():
            return "match.digest", {
                "items": [_item(item) for item in content.items],
                "overflow": content.overflow,
                "more": content.more,
            }
        case Verify():
            return "channel.verify", {"challenge": content.challenge}
        case Test():
            return "channel.test", {}
        case ExpiresSoon():
            return "subscription.expires_soon", {
                "date": content.day.isoformat(),
                "subscriptions": [_ending(search) for search in content.searches],
                "more": content.more,
            }
        case ChannelDisabled():
            return "channel.disabled", {
                "channel": content.channel,
                "address": content.address,
                "reason": content.reason,
            }
        case GivenUp():
            return "channel.given_up", {
                "channel": content.channel,
                "address": content.address,
                "deliveries": content.deliveries,
            }


def _item(item: Item) -> Json:
    return {"event": _event(item), "matches": [_match(reason) for reason in item.reasons]}


def _event(item: Item) -> Json:
    return {
        "id": item.event,
        "external_id": item.external_id,
        "revision": item.revision,
        "url": item.url,
        "title": item.title,
        "image_url": item.image_url,
        "ends_at": item.ends_at and item.ends_at.isoformat(),
        "attributes": dict(item.attributes),
    }


def _match(reason: Reason) -> Json:
    why = [
        {"predicate": held.predicate, "attribute": held.attribute, "value": held.value} for held in reason.why
    ]
    return {"subscription": reason.subscription, "why": why}


def _ending(search: Ending) -> Json:
    return {
        "subscription": search.subscription,
        "name": search.name,
        "expires_at": search.expires_at.isoformat(),
    }
