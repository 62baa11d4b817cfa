"""What was told, held against what should have been: rows of the database, and receipts of the sinks."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from schema_registry.core.schema import Schema
from schema_registry.language import parse
from tests.chaos.history import History
from tests.chaos.verdict import Fault, Judged


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody with one channel, and some subscriptions that all tell at once."""

    name: str
    channel: int
    subscriptions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Told:
    """A delivery of a match, as the database has it."""

    wire_id: str
    channel: int
    event: int
    state: str
    attempts: int
    subscriptions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Receipt:
    """A message of a match, as a sink has it: to whom it came, and what it named."""

    wire_id: str
    reader: str
    event: int | None = None  # mails do not say
    subscriptions: frozenset[int] | None = None
    at: float = 0.0  # by the clock of strikes


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Judged):
    deliveries: int
    matches: int
    receipts: int
    doubled: int  # messages that came more than once, under the same id, and no oftener than they were tried
    faults: tuple[Fault, ...]


def judge(
    schema: Schema,
    history: History,
    *,
    readers: Collection[Reader],
    told: Collection[Told],
    receipts: Collection[Receipt],
    hit: Collection[str] | None = None,
    noticed: Sequence[Fault] = (),
) -> Verdict:
    """`hit` are the messages that were under way when their worker was killed: only they may come twice.

    None means that any may have been. None may come oftener than it was tried, which is counted beforehand.
    """
    expected = _expected(schema, history, readers)
    faults = [*noticed, *_wrong_rows(expected, told), *_wrong_receipts(readers, told, receipts, hit)]
    arrived = Counter(receipt.wire_id for receipt in receipts)
    return Verdict(
        deliveries=len(told),
        matches=sum(len(subscriptions) for subscriptions in expected.values()),
        receipts=len(receipts),
        doubled=sum(count > 1 for count in arrived.values()),
        faults=tuple(faults),
    )


def first_arrivals(told: Collection[Told], receipts: Iterable[Receipt]) -> dict[int, float]:
    """By event, when the first message about it arrived."""
    events = {row.wire_id: row.event for row in told}
    found: dict[int, float] = {}
    for receipt in receipts:
        if (event := events.get(receipt.wire_id)) is not None:
            found[event] = min(found.get(event, receipt.at), receipt.at)
    return found


def _expected(
    schema: Schema, history: History, readers: Collection[Reader]
) -> Mapping[tuple[int, int], frozenset[int]]:
    """By channel and event, the subscriptions that its one message tells of. Their texts never change."""
    wanted = frozenset[int]().union(*(reader.subscriptions for reader in readers))
    texts = {
        change.subscription: parse(change.text, schema)
        for change in history.changes
        if change.text and change.subscription in wanted
    }
    expected = {}
    for publication in history.publications:
        event = schema.validate(publication.document)
        matched = {number for number, text in texts.items() if text.matches(event)}
        for reader in readers:
            if theirs := reader.subscriptions & matched:
                expected[reader.channel, publication.event] = theirs
    return expected


def _wrong_rows(
    expected: Mapping[tuple[int, int], frozenset[int]], told: Collection[Told]
) -> Iterable[Fault]:
    rows: dict[tuple[int, int], list[Told]] = defaultdict(list)
    for row in told:
        rows[row.channel, row.event].append(row)
    for (channel, event), subscriptions in expected.items():
        found = rows.pop((channel, event), [])
        where = f"event {event} on channel {channel}"
        if len(found) != 1:
            yield Fault("doubled" if found else "lost", f"{where} has {len(found)} deliveries.")
        elif found[0].state != "delivered":
            yield Fault("lost", f"{where} is {found[0].state} after {found[0].attempts} attempts.")
        elif found[0].subscriptions != subscriptions:
            yield Fault("wrong", f"{where} tells of {found[0].subscriptions}, not of {subscriptions}.")
    for channel, event in rows:
        yield Fault("wrong", f"event {event} was told on channel {channel}, and matched nothing there.")


def _wrong_receipts(
    readers: Collection[Reader],
    told: Collection[Told],
    receipts: Collection[Receipt],
    hit: Collection[str] | None,
) -> Iterable[Fault]:
    names = {reader.channel: reader.name for reader in readers}
    rows = {row.wire_id: row for row in told}
    arrived = Counter(receipt.wire_id for receipt in receipts)
    for wire_id in rows.keys() - arrived.keys():
        yield Fault("lost", f"{wire_id} counts as delivered, and never arrived.")
    for wire_id, count in arrived.items():
        if count > 1 and hit is not None and wire_id not in hit:
            yield Fault("doubled", f"{wire_id} arrived {count} times, though no kill hit it.")
        elif wire_id in rows and count > rows[wire_id].attempts:
            tried = rows[wire_id].attempts
            yield Fault("doubled", f"{wire_id} arrived {count} times, and was tried {tried} times.")
    for receipt in receipts:
        row = rows.get(receipt.wire_id)
        if row is None:
            yield Fault("wrong", f"{receipt.wire_id} arrived, and there is no such delivery.")
        elif names[row.channel] != receipt.reader:
            yield Fault("wrong", f"{receipt.wire_id} is for {names[row.channel]}, not {receipt.reader}.")
        elif receipt.event not in (None, row.event):
            yield Fault("wrong", f"{receipt.wire_id} tells of event {receipt.event}, not {row.event}.")
        elif receipt.subscriptions not in (None, row.subscriptions):
            yield Fault("wrong", f"{receipt.wire_id} names {receipt.subscriptions}.")
