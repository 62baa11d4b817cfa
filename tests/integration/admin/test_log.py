"""Whatever staff do by a question or an action is noted in the history of the row, with who did it and why.

Every question and action of every page is walked; one that is new needs an entry here.
"""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from matching import services as matching_services
from matching.models import Subscription
from notifications import channels, switch
from notifications.models import Channel, Delivery, SendingSwitch
from schema_registry import services
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named
from schema_registry.core.administration import Section
from schema_registry.models import Attribute, Domain, DomainValue, EventType
from schema_registry.staff.asking import AskingAdmin
from tests.integration.admin.items import parked, published
from tests.integration.admin.pages import MONEY, NOBODY, text

pytestmark = pytest.mark.django_db

Rows = Callable[[], list[Any]]
HOOK = "https://shop.example/hook"
DELETES = "delete_selected"  # Django's own, which notes what it deletes


def _deprecated(kind: type[Any], section: Section, name: str) -> Rows:
    def rows() -> list[Any]:
        services.deprecate(NOBODY, section, name)
        return [kind.objects.get(name=name)]

    return rows


def _table() -> list[Any]:
    return [DomainValue.objects.get(identifier="table")]


def _deprecated_value() -> list[Any]:
    services.deprecate_value(NOBODY, "furniture", "table")
    return _table()


def _two_domains() -> list[Any]:
    services.create_domain(NOBODY, "cash", MONEY)
    return list(Domain.objects.filter(name__in=["money", "cash"]))


def _search(state: Subscription.State | None = None) -> Rows:
    def rows() -> list[Any]:
        owner, now = User.objects.get(email="collector@example.org"), timezone.now()
        search = matching_services.subscribe(owner, "price <= 200", now=now).subscription
        if state is not None:
            matching_services.change(search, state=state, now=now)
        return [search]

    return rows


def _removed() -> list[Any]:
    (search,) = _search()()
    matching_services.unsubscribe(search)
    return [search]


def _event() -> list[Any]:
    return [published(publisher_named("Drouot", state=Publisher.State.APPROVED), "lot 7")]


def _parked() -> list[Any]:
    (event,) = _event()
    return [parked(event)]


def _hook(*, off: bool = False) -> Rows:
    def rows() -> list[Any]:
        owner, now = User.objects.get(email="collector@example.org"), timezone.now()
        hook = channels.add(owner, kind=Channel.Kind.WEBHOOK, address=HOOK, now=now)
        channels.activate(hook.pk, now=now)
        if off:
            channels.disable(hook.pk, reason="", now=now)
        return [Channel.objects.get(pk=hook.pk)]

    return rows


def _dead() -> list[Any]:
    (hook,) = _hook()()
    sent = channels.send_test(hook, now=timezone.now())
    Delivery.objects.filter(pk=sent.pk).update(state="dead", finished_at=timezone.now())
    return [Delivery.objects.get(pk=sent.pk)]


def _switch(*, halted: bool = False) -> Rows:
    def rows() -> list[Any]:
        row, _ = SendingSwitch.objects.get_or_create(pk=switch.THE_ROW)
        if halted:
            switch.halt(User.objects.get(email="staff@example.org"), reason="", now=timezone.now())
        return [row]

    return rows


def _house(state: Publisher.State) -> Rows:
    return lambda: [publisher_named("Ader", state=state)]


def _house_with_a_member() -> list[Any]:
    (house,) = _house(Publisher.State.APPROVED)()
    add_member(house, User.objects.get(email="collector@example.org"))
    return [house]


def _collector() -> int:
    return User.objects.get(email="collector@example.org").pk


def _key() -> list[Any]:
    return [issue_key(publisher_named("Ader", state=Publisher.State.APPROVED).user, [Scope.EVENTS])[0]]


def _state_attribute() -> int:
    return Attribute.objects.get(name="state").pk


def _named(kind: type[Any], name: str) -> Rows:
    return lambda: [kind.objects.get(name=name)]


QUESTIONS: dict[tuple[str, str], tuple[Rows, dict[str, Any]]] = {
    ("ApiKey", "revoke"): (_key, {}),
    ("Publisher", "approve"): (_house(Publisher.State.PENDING), {}),
    ("Publisher", "suspend"): (_house(Publisher.State.APPROVED), {}),
    ("Publisher", "add-member"): (_house(Publisher.State.APPROVED), {"email": "collector@example.org"}),
    ("Publisher", "remove-member"): (_house_with_a_member, {"member": _collector}),
    ("Attribute", "deprecate"): (_named(Attribute, "price"), {}),
    ("Attribute", "restore"): (_deprecated(Attribute, "attributes", "price"), {}),
    ("Domain", "add-values"): (_named(Domain, "furniture"), {"values": "lamp"}),
    ("Domain", "deprecate"): (_named(Domain, "money"), {}),
    ("Domain", "restore"): (_deprecated(Domain, "domains", "money"), {}),
    ("Domain", "merge"): (_two_domains, {"kept": "money"}),
    ("EventType", "extend"): (_named(EventType, "furniture"), {"attribute": _state_attribute}),
    ("EventType", "deprecate"): (_named(EventType, "furniture"), {}),
    ("EventType", "restore"): (_deprecated(EventType, "event_types", "furniture"), {}),
    ("DomainValue", "deprecate"): (_table, {}),
    ("DomainValue", "restore"): (_deprecated_value, {}),
    ("PublishedEvent", "withdraw"): (_event, {}),
    ("PublishedEvent", "retry"): (_parked, {}),
    ("Subscription", "pause"): (_search(), {}),
    ("Subscription", "resume"): (_search(Subscription.State.PAUSED), {}),
    ("Subscription", "remove"): (_search(), {}),
    ("Subscription", "bring-back"): (_removed, {}),
    ("Channel", "disable"): (_hook(), {}),
    ("Channel", "enable"): (_hook(off=True), {}),
    ("Delivery", "replay"): (_dead, {}),
    ("SendingSwitch", "halt"): (_switch(), {}),
    ("SendingSwitch", "resume"): (_switch(halted=True), {}),
}
ACTIONS = {
    ("EmailAddress", "make_verified"),
    ("PeriodicTask", "enable_tasks"),
    ("PeriodicTask", "disable_tasks"),
    ("PeriodicTask", "toggle_tasks"),
    ("PeriodicTask", "run_tasks"),
}


def test_every_question_and_every_action_is_walked_here(page: Client, staff: User) -> None:
    asked, acted = set(), set()
    for model, model_admin in admin.site._registry.items():
        questions = model_admin.questions if isinstance(model_admin, AskingAdmin) else ()
        asked |= {(model.__name__, question.name) for question in questions}
        names = {question.name for question in questions}
        request = page.get(address(model, "changelist"), follow=True).wsgi_request
        acted |= {(model.__name__, name) for name in model_admin.get_actions(request) if name not in names}
    assert asked == set(QUESTIONS)
    assert {each for each in acted if each[1] != DELETES} == ACTIONS


@pytest.mark.usefixtures("schema", "owner")
@pytest.mark.parametrize(("model", "question"), QUESTIONS)
def test_an_answered_question_is_noted(page: Client, staff: User, model: str, question: str) -> None:
    prepare, entered = QUESTIONS[model, question]
    rows = prepare()
    form = {name: value() if callable(value) else value for name, value in entered.items()}
    numbers = ",".join(str(row.pk) for row in rows)
    where = f"{address(type(rows[0]), 'ask', question)}?ids={numbers}"
    assert not LogEntry.objects.exists()
    answer = page.post(where, {"why": "we spoke", **form})
    assert answer.status_code == 302, answer.content.decode()
    for row in rows:
        shown = text(page.get(address(type(row), "history", row.pk)))
        assert "we spoke" in shown
        assert "staff@example.org" in shown
    assert LogEntry.objects.count() == len(rows)


@pytest.mark.parametrize(("model", "action"), sorted(ACTIONS))
def test_an_action_of_a_list_is_noted(page: Client, owner: User, model: str, action: str) -> None:
    EmailAddress.objects.create(user=owner, email=owner.email)
    every = IntervalSchedule.objects.create(every=1, period="days")
    PeriodicTask.objects.create(name="count", task="matching.tasks.count_days", interval=every)
    kind: Any = {"EmailAddress": EmailAddress, "PeriodicTask": PeriodicTask}[model]
    row = kind.objects.get()
    page.post(address(kind, "changelist"), {"action": action, "_selected_action": [row.pk], "index": 0})
    entry = LogEntry.objects.get()
    assert (entry.get_edited_object(), str(entry.user)) == (row, "staff@example.org")
    assert entry.get_change_message() in text(page.get(address(kind, "history", row.pk)))


def address(model: type[Any], view: str, *args: Any) -> str:
    opts = model._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{view}", args=args)
