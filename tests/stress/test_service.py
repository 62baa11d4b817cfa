"""Lives of the whole service against a model of a hundred lines.

`pytest tests/stress/test_service.py --deep 2000` lives so many; hypothesis shrinks one that went wrong.
"""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from matching.models import Match
from notifications import preferences
from schema_registry import services as schema_services
from schema_registry.accounts.models import User
from tests.integration.following import NOW
from tests.integration.lots import BY_STAFF, make_lots
from tests.integration.nightly.nights import house
from tests.integration.waiting import add_channel
from tests.stress import service_checks
from tests.stress.service_machine import ServiceMachine

USUAL_LIVES = 16
USUAL_PLACES = 10  # at which somebody dies in so few lives; about 30 do
MANY_LIVES = 1_000  # hypothesis makes each up of another one, mostly: in fewer some place may stay without
STEPS = 50


@pytest.mark.django_db
def test_whatever_happens_it_does_what_the_model_says(pytestconfig: pytest.Config) -> None:
    """The schema grows, searches come and go, items are published, time passes, workers die at failpoints."""
    make_lots()
    schema_services.create_domain(BY_STAFF, "words", {"kind": "text"})
    schema_services.create_attribute(BY_STAFF, "title", "words")
    schema_services.extend_event_type(BY_STAFF, "lot", "title")
    house()
    for name, hours in (("first", {}), ("second", {"quiet_from": "22:00", "quiet_until": "07:00"})):
        reader = User.objects.create_user(f"{name}@example.org")
        preferences.change(reader, hours)
        for number in range(2):
            add_channel(reader, f"https://{name}.example/{number}", verified_at=NOW)
    lives = pytestconfig.getoption("deep") or USUAL_LIVES
    run_state_machine_as_test(
        ServiceMachine,
        settings=settings(
            max_examples=lives,
            stateful_step_count=STEPS,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
    never = sorted(service_checks.drawn - service_checks.deaths.keys())
    print(f"deaths {dict(service_checks.deaths)}, {service_checks.arrived}")
    print(f"places where nobody died: {', '.join(never) or 'none'}")
    assert len(service_checks.deaths) >= USUAL_PLACES
    assert lives < MANY_LIVES or not never
    assert service_checks.arrived["receipts"] >= lives
    assert not Match.objects.exists()  # each life ends with its transaction
