"""How subscriptions are split, and where a shard's work and files are."""

from pathlib import Path

import pytest

from matching.shards import WHOLE, Shard, of_queue, split

ENGINE = Path("var/engine")


@pytest.mark.parametrize("count", [1, 2, 3, 7, 64])
def test_every_subscription_belongs_to_one_shard_and_they_are_about_equal(count: int) -> None:
    held = [[number for number in range(1, 1_001) if shard.holds(number)] for shard in split(count)]
    assert sorted(number for each in held for number in each) == list(range(1, 1_001))
    assert max(map(len, held)) - min(map(len, held)) <= 1


def test_one_shard_is_the_whole_and_its_queue_and_folder_are_as_without_any() -> None:
    assert split(1) == (WHOLE,)
    assert (WHOLE.is_whole, WHOLE.queue, WHOLE.folder_in(ENGINE)) == (True, "match", ENGINE)


def test_of_several_each_has_a_queue_and_a_folder_of_its_own() -> None:
    assert [shard.queue for shard in split(3)] == ["match-0", "match-1", "match-2"]
    assert [shard.folder_in(ENGINE).name for shard in split(3)] == ["shard-0", "shard-1", "shard-2"]
    assert str(Shard(1, 3)) == "shard 1 of 3"


def test_a_queue_tells_the_shard() -> None:
    assert of_queue("match", 1) == WHOLE
    assert [of_queue(f"match-{number}", 2) for number in range(3)] == [Shard(0, 2), Shard(1, 2), None]
    assert of_queue("match", 2) is None
    assert of_queue("plan", 2) is None
