"""Channels that their owner has removed: they can be had back for a while, and go by themselves."""

from datetime import timedelta

import pytest

from notifications import channels, removal
from notifications.models import Channel, Delivery
from tests.integration.collector import NOW, Collector, item

pytestmark = pytest.mark.django_db
State = Channel.State
LATER = NOW + removal.KEPT_FOR


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.mark.parametrize("state", State.values)
def test_one_goes_with_its_log_a_minute_after_it_was_removed(collector: Collector, state: str) -> None:
    collector.is_told((item(), collector.searches()))
    Channel.objects.update(state=state)
    removal.set_aside(collector.channel.pk, now=NOW)
    assert Channel.objects.get().state != State.ACTIVE
    assert removal.erase_set_aside(now=LATER - timedelta(seconds=1)) == 0
    assert removal.erase_set_aside(now=LATER) == 1
    assert not Channel.objects.exists()
    assert not Delivery.objects.exists()


def test_one_that_was_had_back_stays_also_when_it_is_switched_off_later(collector: Collector) -> None:
    number = collector.channel.pk
    removal.set_aside(number, now=NOW)
    channels.change(number, now=NOW, by_account=True, state=State.ACTIVE)
    assert Channel.objects.get().state == State.ACTIVE
    channels.change(number, now=NOW, by_account=True, state=State.DISABLED)
    assert removal.erase_set_aside(now=LATER) == 0


def test_one_that_waited_for_its_confirmation_does_so_again_when_it_was_had_back(
    collector: Collector,
) -> None:
    Channel.objects.update(state=State.PENDING)
    removal.set_aside(collector.channel.pk, now=NOW)
    channels.change(collector.channel.pk, now=NOW, by_account=True)
    assert removal.erase_set_aside(now=LATER) == 0
    assert Channel.objects.get().state == State.PENDING


def test_one_that_was_only_switched_off_stays(collector: Collector) -> None:
    channels.change(collector.channel.pk, now=NOW, state=State.DISABLED)
    assert removal.erase_set_aside(now=LATER) == 0
