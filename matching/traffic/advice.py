"""What a reason for refusing means, and how to mend it: in sentences, the same for the same reason.

They are made from the schema as it is now, in the language of who reads. What was answered at the time, with
the very value that was wrong, is kept with the samples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matching.envelopes import Envelope
from matching.traffic.reasons import Reason
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import FiniteDomain, NumericDomain
from schema_registry.core.nearest import nearest
from schema_registry.core.schema import Schema
from schema_registry.domain_wording import kind_in_words

_VALUES_NAMED = 5
OTHERS = "…"  # stands for the names that there were too many of


@dataclass(frozen=True, slots=True)
class Advice:
    """What is wrong, and what to send instead."""

    wrong: str
    mend: str


def wrong(reason: Reason) -> str:
    """The headline of a reason. O(1)."""
    of_event_type = _WRONG_EVENT_TYPE.get(reason.fault) if reason.about == EVENT_TYPE else None
    words = of_event_type or _WRONG.get(reason.fault)
    if words is None:
        return str(reason.fault).replace("_", " ")
    return str(words) % {"name": reason.about or OTHERS}


def advice(reason: Reason, schema: Schema) -> Advice:
    """Up to a few ms, where a name that was probably meant is looked for."""
    mend = _MENDS.get(reason.fault)
    by_event_type = _EVENT_TYPE_MENDS.get(reason.fault) if reason.about == EVENT_TYPE else None
    words = str(by_event_type) if by_event_type else mend(reason.about, schema) if mend else _any_other()
    return Advice(wrong(reason), words)


_WRONG = {
    "missing": gettext_lazy("“%(name)s” is missing"),
    "not_a_number": gettext_lazy("“%(name)s” is not a number"),
    "out_of_bounds": gettext_lazy("“%(name)s” is too small or too large"),
    "not_a_string": gettext_lazy("“%(name)s” is not a text"),
    "not_a_value": gettext_lazy("“%(name)s” has a value that is not in its list"),
    "too_long": gettext_lazy("“%(name)s” is too long"),
    "outside_domain": gettext_lazy("“%(name)s” has a value that cannot be taken"),
    "several_values": gettext_lazy("“%(name)s” has several values"),
    "too_many_values": gettext_lazy("“%(name)s” has too many values"),
    "unknown_attribute": gettext_lazy("There is no attribute “%(name)s”"),
    "not_of_the_type": gettext_lazy("“%(name)s” is not an attribute of the event type"),
    "too_many_attributes": gettext_lazy("An event has too many attributes"),
    "not_an_object": gettext_lazy("The event is not an object"),
    "envelope_field": gettext_lazy("The field “%(name)s” is missing or malformed"),
    "unknown_field": gettext_lazy("There is no field “%(name)s”"),
    "envelope_is_no_object": gettext_lazy("What was sent is not an object"),
    "unreadable": gettext_lazy("Not readable as JSON"),
    "changed_body": gettext_lazy("A revision or Idempotency-Key stood for other content"),
    "unknown_name": gettext_lazy("There is no such view"),
}
_WRONG_EVENT_TYPE = {
    "missing": gettext_lazy("The event type is missing"),
    "not_a_value": gettext_lazy("There is no such event type"),
    "too_many_values": gettext_lazy("There are too many event types"),
    "not_of_the_view": gettext_lazy("The event types are not those of the view"),
}
_EVENT_TYPE_MENDS = {
    "missing": gettext_lazy('Say what kind of item it is, in the event: "event_type": ["violins"].'),
    "not_a_value": gettext_lazy(
        "Use the name of an event type as the schema spells it, or add yours to the schema first."
    ),
    "too_many_values": gettext_lazy("An event has at most 32 event types. Name those that fit best."),
    "not_of_the_view": gettext_lazy(
        "An event that names a view has exactly its event types. Send these, or leave “view” out."
    ),
}


def _missing(name: str, schema: Schema) -> str:
    demanding = sorted(
        each for each, event_type in schema.event_types.items() if name in event_type.mandatory_set
    )
    if not demanding:
        return _("It is mandatory for the event type. Send a value; null counts as none.")
    types = ", ".join(demanding[:_VALUES_NAMED])
    return _("It is mandatory for %(types)s. Send a value; null counts as none.") % {"types": types}


def _not_a_number(name: str, schema: Schema) -> str:
    words = _(
        "Send 1200 or 1199.5, not “1.200,00 EUR”: no quotes, no unit, nothing between the thousands,"
        " a point before the decimals."
    )
    domain = schema.domain_of.get(name)
    if isinstance(domain, NumericDomain) and domain.unit:
        words += " " + _("The unit is always %(unit)s.") % {"unit": domain.unit}
    return words


def _out_of_bounds(name: str, schema: Schema) -> str:
    domain = schema.domain_of.get(name)
    if domain is None:
        return _("Send a number within the bounds that the schema has.")
    return _("It is %(kind)s. Send such a number, or leave it out.") % {"kind": kind_in_words(domain)}


def _not_a_value(name: str, schema: Schema) -> str:
    domain = schema.domain_of.get(name)
    if not isinstance(domain, FiniteDomain):
        return _("Send one of the values that the schema has, spelt in the same way.")
    some = ", ".join(islice(domain.identifiers(), _VALUES_NAMED))
    if len(domain.identifiers()) > _VALUES_NAMED:
        some += ", …"
    return _("Send one of its values, spelt as in the schema: %(values)s") % {"values": some}


def _unknown_attribute(name: str, schema: Schema) -> str:
    near = nearest(name, schema.attributes)
    if near:
        return _("Did you mean “%(near)s”? Else leave it out, or add it to the schema first.") % {
            "near": near
        }
    return _("Leave it out, or add it to the schema first: as an attribute, then to your event type.")


def _envelope_field(name: str, schema: Schema) -> str:
    return str(_FIELDS.get(name) or _any_other())


def _unknown_field(name: str, schema: Schema) -> str:
    if name in schema.attributes:
        return _("It is an attribute: put it into “event”.")
    fields = ", ".join(Envelope.__dataclass_fields__)
    return _("What can be searched for belongs into “event”. Around it there are: %(fields)s.") % {
        "fields": fields
    }


def _any_other() -> str:
    return _("What we answered, below each sample, says what is wrong.")


def _always(words: object) -> Callable[[str, Schema], str]:
    return lambda name, schema: str(words)


_FIELDS = {
    "external_id": gettext_lazy("Your own name for the item: a text of 1 to 200 characters, always there."),
    "event": gettext_lazy("An object with the item's event_type and attributes, always there."),
    "revision": gettext_lazy("A whole number from 1 up, or nothing: then we count."),
    "view": gettext_lazy("The name of one of your views, or nothing."),
    "title": gettext_lazy("A text of at most 500 characters."),
    "url": gettext_lazy("An address that starts with http:// or https://, of at most 2,000 characters."),
    "image_url": gettext_lazy(
        "An address that starts with http:// or https://, of at most 2,000 characters."
    ),
    "ends_at": gettext_lazy("A moment with its time zone, as in 2030-06-01T18:00:00+02:00."),
    "Idempotency-Key": gettext_lazy("A header of 1 to 200 characters: a name for one request."),
}
_MENDS: dict[str, Callable[[str, Schema], str]] = {
    "missing": _missing,
    "not_a_number": _not_a_number,
    "out_of_bounds": _out_of_bounds,
    "not_a_value": _not_a_value,
    "unknown_attribute": _unknown_attribute,
    "envelope_field": _envelope_field,
    "unknown_field": _unknown_field,
    "not_a_string": _always(gettext_lazy('Send a string, in quotes: "1890", not 1890.')),
    "too_long": _always(gettext_lazy("Shorten it, or leave the rest to the page that your “url” leads to.")),
    "several_values": _always(
        gettext_lazy("It takes one value: send that alone, not a list. The schema marks it as unique.")
    ),
    "too_many_values": _always(gettext_lazy("Send those that matter most: at most 1,000 values.")),
    "not_of_the_type": _always(
        gettext_lazy("Leave it out, or add it to the event type as an optional attribute.")
    ),
    "too_many_attributes": _always(gettext_lazy("Send at most 500 attributes, those people search for.")),
    "not_an_object": _always(
        gettext_lazy('“event” is an object: {"event_type": ["violins"], "asking_price": 4200}.')
    ),
    "envelope_is_no_object": _always(
        gettext_lazy('Send one object for each item: {"external_id": "lot-7", "event": {…}}.')
    ),
    "unreadable": _always(
        gettext_lazy(
            "Send JSON in UTF-8, in a batch one object a line: no key twice, no NaN, no comma at the end."
            " Our answer names line and column."
        )
    ),
    "changed_body": _always(
        gettext_lazy(
            "Content that changed needs the next revision, or none: then we count. A request with"
            " other content needs another Idempotency-Key."
        )
    ),
    "unknown_name": _always(gettext_lazy("Mend its name, make the view, or leave “view” out.")),
}
