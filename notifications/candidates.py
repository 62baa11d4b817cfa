"""Which matches may be told on which channels: one statement for many events, or for a part of a big one.

It also finds what was planned before, if a planner died in the middle or an event was finished twice: then
what may be told since, by a search that was muted say, is *late*, and joins the delivery of its item.

Most people have no channel, and their matches are gone with the first join. Through the ORM a row would cost
some 70 us, most of it in Python; here it is a tenth of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db import connection

from notifications import hours
from notifications.core.planning import Candidate, Late, Recipient
from notifications.core.policy import Frequency, Revisions
from notifications.models import Channel

_TELLS = "channel.owner_id = match.owner_id AND channel.state = 'active' AND channel.wants = 'everything'"
# PostgreSQL likes to begin with the channels if it does not know yet how many are active, and then looks for
# the matches of each of their owners.
_CHANNELS = {
    "sqlite": f"JOIN notifications_channel AS channel ON {_TELLS}",
    "postgresql": f"""
        JOIN LATERAL (SELECT * FROM notifications_channel AS channel WHERE {_TELLS} OFFSET 0) AS channel
        ON true""",  # nosec B608  # noqa: S608 - as below
}
_SELECT = f"""
    SELECT match.owner_id, match.id, match.event_id, terms.frequency, terms.revisions,
           entry.delivery_id, channel.id, channel.kind, channel.address, channel.most_per_day,
           {", ".join(f"preferences.{name}" for name in hours.COLUMNS)}
    FROM matching_match AS match
    {{channels}}
    JOIN matching_subscription AS subscription ON subscription.id = match.subscription_id
    LEFT JOIN notifications_terms AS terms ON terms.subscription_id = match.subscription_id
    LEFT JOIN notifications_preferences AS preferences ON preferences.owner_id = match.owner_id
    LEFT JOIN notifications_entry AS entry ON entry.match_id = match.id AND entry.channel_id = channel.id
    WHERE {{these}}
      AND (entry.delivery_id IS NOT NULL OR subscription.state <> 'muted' AND (
             terms.every_channel IS NOT FALSE OR EXISTS (
               SELECT 1 FROM notifications_terms_channels AS chosen
               WHERE chosen.terms_id = match.subscription_id AND chosen.channel_id = channel.id)))"""  # nosec B608  # noqa: S608 - only names of ours


@dataclass(frozen=True, slots=True)
class Part:
    """What is to be planned of some owners; `up_to` is the last of them, None if nobody comes after."""

    candidates: list[Candidate]
    late: list[Late]
    up_to: int | None = None


def of_events(events: Sequence[int]) -> Part:
    """All that is not in a delivery yet, event by event."""
    places = ", ".join(["%s"] * len(events))
    return _part(_rows(f"match.event_id IN ({places})", "match.event_id, match.id", events))


def part_of(event: int, *, after: int, most: int) -> Part:
    """Those of the next owners of a big event, about so many. An owner's are never cut in two."""
    # Nothing is to be gained from the index by owner, which has the matches of all events.
    of_the_rest = "match.event_id = %s AND match.owner_id + 0 > %s"
    rows = _rows(of_the_rest, "match.owner_id + 0, match.id LIMIT %s", (event, after, most))
    if len(rows) < most:
        return _part(rows)
    cut = rows[-1][0]
    whole = [row for row in rows if row[0] != cut]
    if not whole:
        return part_of(event, after=after, most=2 * most)
    return replace(_part(whole), up_to=whole[-1][0])


def _rows(these: str, order: str, parameters: Sequence[int]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        select = _SELECT.format(channels=_CHANNELS[connection.vendor], these=these)
        cursor.execute(f"{select} ORDER BY {order}", parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _part(rows: Sequence[tuple[Any, ...]]) -> Part:
    telling = {
        (event, channel): delivery
        for _, _, event, _, _, delivery, channel, *_ in rows
        if delivery is not None
    }
    recipients: dict[int, Recipient] = {}
    candidates, late = [], []
    most_mails: int = settings.MOST_MAILS_PER_DAY
    for _, match, event, frequency, revisions, planned, channel, kind, address, most_per_day, *wishes in rows:
        if planned is not None:
            continue
        if (delivery := telling.get((event, channel))) is not None:
            late.append(Late(match, channel, delivery))
            continue
        if (recipient := recipients.get(channel)) is None:
            recipient = _recipient(channel, kind, address, most_per_day, wishes, most_mails)
            recipients[channel] = recipient
        candidates.append(
            Candidate(
                match,
                event,
                recipient,
                Frequency(frequency) if frequency else Frequency.AT_ONCE,
                Revisions(revisions) if revisions else Revisions.ONCE,
            )
        )
    return Part(candidates, late)


def _recipient(
    channel: int,
    kind: str,
    address: str,
    most_per_day: int | None,
    wishes: Sequence[Any],
    most_mails: int,
) -> Recipient:
    """Whoever owns its channels, a mail address gets at most so many mails a day."""
    if kind == Channel.Kind.EMAIL:
        address = address.lower()
        most_per_day = most_mails if most_per_day is None else min(most_per_day, most_mails)
    elif kind == Channel.Kind.CHAT:  # with its secrets left out, an address may be another's, too
        address = f"chat:{channel}"
    return Recipient(channel, address, most_per_day, hours.hours_from(tuple(wishes)))
