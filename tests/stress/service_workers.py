"""What workers do in a life, and where they die of it."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from matching import change_log, leases, parked, services
from matching.models import Announcement, MatchWork, PublishedEvent
from notifications import channels
from notifications.core import attempts
from notifications.models import Channel, Delivery, Entry
from tests.faults.boundaries.places import named
from tests.stress.service_checks import CheckedLife, chosen, drawn

TELLING = ("deliver", "fail", "drop", "give-back", "give-up")
OF_WORKERS = ("match", "park", "retry", "snapshot", "merge", "plan", "plan-part", *TELLING)
LONGEST_LEASE = 31  # seconds
SECONDS_TO_A_MERGE = 7 * 3_600
MOST_ROUNDS = 80
PLACES = sorted(set(named()))

numbers = st.integers(0, 99)


def places(*steps: str) -> st.SearchStrategy[str | None]:
    """Mostly nobody dies."""
    return st.none() | st.none() | places_of(*steps)


def places_of(*steps: str) -> st.SearchStrategy[str]:
    there = [place for place in PLACES if place.partition(".")[0] in steps]
    drawn.update(there)
    return st.sampled_from(there)


class WorkingLife(CheckedLife):
    @precondition(lambda self: self.in_state("parked"))
    @rule(which=numbers, place=places("retry"))
    def try_a_parked_one_again(self, which: int, place: Any) -> None:
        number = chosen(self.in_state("parked"), which)
        with self.dying_at(place):
            parked.retry(PublishedEvent.objects.get(pk=number))
        if not self.is_undone:
            self.model.tried_again(number, now=self.now)

    @rule(place=places("match", "park"))
    def drain(self, place: Any) -> None:
        with self.dying_at(place):
            self.service.drain()
        waiting = self.in_state("accepted")
        states = dict(PublishedEvent.objects.filter(pk__in=waiting).values_list("pk", "state"))
        for number in waiting:
            item = self.model.items[number]
            item.deaths += self.service.died_at is not None
            item.state = states[number]
            if item.state == "matched":
                item.since = {each: {version.state} for each, version in self.model.searches.items()}
            assert item.state != "parked" or item.deaths >= 5
        if not self.service.died_at:
            assert not MatchWork.objects.exclude(leased_until__gte=self.now).exists(), "it waits for nobody"

    @rule(place=places("snapshot", "merge"))
    def keep_the_matcher(self, place: Any) -> None:
        with self.dying_at(place):
            self.service.keep()

    @rule(place=places("cut-log"))
    def cut_the_log(self, place: Any) -> None:
        with self.dying_at(place):
            change_log.cut(now=self.now)

    @rule(place=places("plan", "plan-part"))
    def plan(self, place: Any) -> None:
        with self.dying_at(place):
            self.service.plan()
        if self.service.died_at:
            return
        waiting = set(Announcement.objects.values_list("event", "leased_until"))
        assert all(until is not None and until >= self.now for _event, until in waiting)
        announced = set(self.in_state("matched")) - {event for event, _until in waiting} - self.planned
        self.planned |= announced
        self.note_what_is_to_tell(announced)

    @rule(place=places(*TELLING))
    def deliver(self, place: Any) -> None:
        before = len(self.service.wire.receipts)
        with self.dying_at(place):
            self.service.deliver()
        if self.service.died_at in ("deliver.after-send", "deliver.before-commit"):
            self.sent_by_the_dead |= {each.wire_id for each in self.service.wire.receipts[before:][-1:]}

    @rule(place=places(*OF_WORKERS))
    def go_round(self, place: str | None) -> None:
        """All that they do, one after another. What seldom comes to pass is seen to, if one shall die of it.

        Chance would take thousands of lives until twelve have died of the same message.
        """
        step, failing = str(place).partition(".")[0], set(self.service.wire.failing)
        if step in ("park", "retry"):
            self._let_workers_die_of_an_event()
        self.drain(place)
        if step == "retry" and self.in_state("parked"):
            self.try_a_parked_one_again(0, place)
        if step == "merge":
            self.keep_the_matcher(None)
            self.let_time_pass(SECONDS_TO_A_MERGE)
        self.keep_the_matcher(place)
        self.plan(place)
        self._see_to(step)
        self.deliver(place)
        self.service.wire.failing = failing
        self.let_time_pass(LONGEST_LEASE)

    def _let_workers_die_of_an_event(self) -> None:
        for number in self.in_state("accepted")[:1]:
            hopeless = {"attempts": leases.MOST_ATTEMPTS, "leased_until": self.now - timedelta(seconds=1)}
            MatchWork.objects.filter(event=number).update(**hopeless)
            self.model.items[number].deaths = leases.MOST_ATTEMPTS

    def _see_to(self, step: str) -> None:
        """That not all of what is due is simply sent."""
        waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_attempt_at__lte=self.now)
        first = waiting.order_by("pk").first()
        match step:
            case "fail":
                self.service.wire.failing = set(Channel.objects.values_list("pk", flat=True))
            case "drop":
                told = Entry.objects.filter(delivery=first).values("match__event")
                for event in PublishedEvent.objects.filter(pk__in=told):
                    services.withdraw(event)
                    self.model.items[event.pk].state = "withdrawn"
            case "give-back":  # some have quiet hours
                self.service.clock.now = max(self.now, self.now.replace(hour=23))
            case "give-up" if first:
                waiting.filter(pk=first.pk).update(attempts=attempts.MOST_ATTEMPTS)

    @rule(seconds=st.sampled_from([1, 11, 31, 700, 3_600, 40_000, 90_000]))
    def let_time_pass(self, seconds: int) -> None:
        self.service.clock.now += timedelta(seconds=seconds)

    @rule(which=numbers, is_down=st.booleans())
    def a_receiver_fails_or_is_well_again(self, which: int, is_down: bool) -> None:
        channel = chosen(sorted(Channel.objects.values_list("pk", flat=True)), which)
        (self.service.wire.failing.add if is_down else self.service.wire.failing.discard)(channel)

    @rule()
    def come_to_rest(self) -> None:
        """Nothing was lost, whatever happened before."""
        self.service.wire.failing.clear()
        for channel in Channel.objects.filter(state=Channel.State.DISABLED):
            channels.enable(channel.pk, now=self.now)
        for turn in range(MOST_ROUNDS):
            self.drain(None)
            self.plan(None)
            self.deliver(None)
            waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
            following = waiting.order_by("next_attempt_at").values_list("next_attempt_at", flat=True).first()
            if following is None and not (MatchWork.objects.exists() or Announcement.objects.exists()):
                break
            a_while = self.now + timedelta(seconds=min(11 * 2**turn, 4_000))  # a lease, or a receiver's rest
            due = (following or a_while) + timedelta(seconds=1)
            self.service.clock.now = max(a_while, due).replace(microsecond=0)
        else:
            pytest.fail(f"It does not come to rest: {list(Delivery.objects.values())}")
        self.check_that_all_is_told()
