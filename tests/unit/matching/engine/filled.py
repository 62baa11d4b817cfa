"""An engine with something of everything, and lots to ask it about."""

from matching.algorithms.columns import SubscriptionColumns
from matching.engine.engine import Engine
from tests.unit.matching.engine.lots import SCHEMA, lot, search

TEXTS = ["price < 5", "kind <= table and price >= 2", "title contains oak or kind = chair", "price in (3, 4)"]
LOTS = [lot(price=3, kind="desk"), lot(kind="chair", title="Oak"), lot(price=[1, 9]), lot()]


def filled() -> Engine:
    """An engine with segments, some of what is in them gone, and something fresh."""
    engine = Engine(SCHEMA, merging="when asked")
    engine.load(SubscriptionColumns.of(enumerate([search(text) for text in TEXTS * 100])))
    engine.load(SubscriptionColumns.of((1_000 + at, search(text)) for at, text in enumerate(TEXTS)))
    for number in range(0, 200, 3):
        engine.remove(number)
    engine.add(5, search("price > 8"))
    engine.add(2_000, search("not (price exists)"))
    return engine
