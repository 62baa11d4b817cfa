"""The feed of a night in a fault run means the items that the oracle holds against it."""

import json
from random import Random

from matching.feeds.judging import Judge, Judged
from matching.feeds.mapping import FeedMapping
from tests.chaos import market
from tests.chaos.nightly import MAPPING, row


def test_rows_become_the_items_they_were_made_of() -> None:
    mapping = FeedMapping.from_dict(MAPPING)
    assert not mapping.faults_with(market.SCHEMA)
    judge, random = Judge(mapping, market.SCHEMA), Random(1)
    for number in range(50):
        item = market.item(random)
        judged = judge.judge(row(f"night-{number}", item))
        assert isinstance(judged, Judged), judged
        assert judged.external_id == f"night-{number}"
        stored = market.SCHEMA.validate(json.loads(judged.document))
        assert stored == market.SCHEMA.validate(item)
