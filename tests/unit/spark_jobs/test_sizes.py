"""How many events are matched at once."""

from spark_jobs.transforms.bulk_matching import Sizes


def after(*matches: int) -> int:
    sizes = Sizes()
    for each in matches:
        sizes.learn(each)
    return sizes.now


def test_few_matches_let_it_grow_step_by_step() -> None:
    assert [after(*[100] * times) for times in range(7)] == [32, 64, 128, 256, 512, 1_024, 1_024]


def test_events_that_everybody_waits_for_are_matched_one_by_one() -> None:
    assert after(32_000_000) == 2
    assert after(32_000_000, 2_000_000) == 2
    assert after(3_000_000_000) == 1
    assert after(3_000_000_000, 0) == 2
