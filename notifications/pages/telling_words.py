"""What is said of a delivery: what it tells of, how it stands, and how a test went."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from notifications import deliveries
from notifications.core.wording import LONGEST_TITLE, day_in_words, one_line, time_left
from notifications.delivery_log import items_in_digests
from notifications.models import Attempt, Channel, Delivery
from schema_registry import said_again
from schema_registry.core.numbers import grouped

State, Kind = Delivery.State, Delivery.Kind


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with the level of a note or badge: success, warning, error, danger, or none."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A delivery as the log shows it."""

    delivery: Delivery
    what: str
    state: Said


def rows_of(found: Sequence[Delivery], *, now: datetime) -> list[Row]:
    """They come with channel and event; one more query for all digests."""
    counts = items_in_digests(found)
    return [Row(each, what_of(each, items=counts.get(each.pk, 0)), state_of(each, now=now)) for each in found]


def what_of(delivery: Delivery, *, items: int) -> str:
    match delivery.kind:
        case Kind.MATCH if delivery.event is not None:
            return one_line(delivery.event.title or delivery.event.external_id, most=LONGEST_TITLE)
        case Kind.MATCH:
            return _("An item that is not there any more")
        case Kind.DIGEST:
            return ngettext("Digest of %(count)s find", "Digest of %(count)s finds", items) % {"count": items}
        case Kind.VERIFY:
            return _("Asked whether the address is yours")
        case Kind.TEST:
            return _("Test")
    return _notice(delivery.about)


def _notice(about: dict[str, str]) -> str:
    address = one_line(about.get("address", ""), most=LONGEST_TITLE)
    match about.get("about"):
        case "channel_disabled":
            return _("Notice: %(address)s was switched off") % {"address": address}
        case "given_up":
            return _("Notice: messages did not reach %(address)s") % {"address": address}
        case "expires_soon":
            return _expiry(about.get("date", ""))
    return _("Notice")


def _expiry(day: str) -> str:
    try:
        words = day_in_words(date.fromisoformat(day))
    except ValueError:
        return _("Some of your searches end soon")
    return _("Some of your searches end on %(day)s") % {"day": words}


def state_of(delivery: Delivery, *, now: datetime) -> Said:
    match delivery.state:
        case State.DELIVERED:
            return Said("success", _("Delivered"))
        case State.DROPPED:
            return Said("", _("Left out"))
        case State.DEAD:
            return Said("danger", _("Given up"))
    if delivery.channel.state == Channel.State.DISABLED:
        return Said("warning", _("Waits for its channel"))
    begins = deliveries.next_attempt(delivery)
    if begins is None or begins <= now:
        return Said("", _("On its way"))
    left = {"span": time_left(begins, now=now)}
    if delivery.attempts:
        return Said("warning", _("Again in %(span)s") % left)
    return Said("", _("Due in %(span)s") % left)


def test_result(delivery: Delivery, last: Attempt | None, *, is_halted: bool, now: datetime) -> Said | None:
    """How a test went; None while there is nothing to tell yet."""
    is_mail = delivery.channel.kind == Channel.Kind.EMAIL
    match delivery.state:
        case State.DELIVERED if is_mail and not settings.SENDS_MAIL:
            return Said(
                "success", _("It works. This site names no mail server yet: the mail is in its outbox.")
            )
        case State.DELIVERED if is_mail:
            return Said("success", _("Sent: the mail server took it. It should be in your mailbox."))
        case State.DELIVERED if delivery.channel.kind == Channel.Kind.CHAT:
            return Said("success", _("Sent: %(service)s took it.") % {"service": delivery.channel.way})
        case State.DELIVERED:
            return Said("success", _arrived(last))
        case State.DROPPED | State.DEAD:
            return Said(
                "error", _("It did not arrive. %(reason)s") % {"reason": said_again.again(delivery.reason)}
            )
    if delivery.attempts and delivery.reason:
        begins = deliveries.next_attempt(delivery) or now
        again = _("We try again in %(span)s.") % {"span": time_left(max(begins, now), now=now)}
        return Said("error", f"{said_again.again(delivery.reason)} {again}")
    if is_halted:
        return Said("warning", _("Our staff have halted all sending. It goes out when they let it."))
    return None


def _arrived(last: Attempt | None) -> str:
    if last is None or last.status is None:
        return _("It arrived.")
    facts = {"status": last.status, "milliseconds": grouped(last.milliseconds)}
    return _("It arrived: your receiver answered %(status)s in %(milliseconds)s ms.") % facts
