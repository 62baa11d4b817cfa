"""In which language somebody is spoken to: on pages, in mails and by the API."""

import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone, translation
from django.utils.translation import gettext

from lesubscribe.account_deletion import delete
from matching import services
from notifications import claims, links, sending
from notifications.models import Attempt, Channel
from schema_registry.accounts.models import User
from tests.integration.cached import forget
from tests.integration.collector import Collector, item, match
from tests.integration.signing_in import ADDRESS, browser, person, sign_in
from tests.integration.waiting import plan

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ENGLISH, FRENCH = {"Accept-Language": "en-GB,en;q=0.9"}, {"Accept-Language": "fr-CH, fr;q=0.9, en;q=0.8"}


@pytest.fixture(autouse=True)
def nothing_is_counted_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    monkeypatch.setattr(claims, "_hints", claims.Hints())


@pytest.fixture
def collector() -> Collector:
    somebody = Collector()
    User.objects.filter(pk=somebody.user.pk).update(language="fr")
    somebody.user.refresh_from_db()
    return somebody


def fr(sentence: str, **values: Any) -> str:
    """As the catalogue has it."""
    with translation.override("fr"):
        return gettext(sentence) % values if values else gettext(sentence)


def language(answer: Any) -> str:
    found = re.search(r'<html[^>]* lang="([\w-]+)"', answer.content.decode())
    assert found is not None
    assert answer["Content-Language"] == found[1]
    assert "Accept-Language" in answer["Vary"]
    return found[1]


def switch(client: Client, code: str, **fields: str) -> HttpResponse:
    answer: HttpResponse = client.post("/language", {"language": code, **fields})  # type: ignore[assignment]  # as good as one
    return answer


@pytest.mark.parametrize(
    ("asked", "answered"),
    [("fr", "fr"), ("fr-CA,en;q=0.5", "fr"), ("de,fr;q=0.5", "fr"), ("de", "en"), ("", "en")],
)
def test_a_visitor_reads_what_the_browser_asks_for(client: Client, asked: str, answered: str) -> None:
    assert language(client.get("/", headers={"Accept-Language": asked})) == answered


def test_a_visitor_who_switched_reads_that_from_then_on(client: Client) -> None:
    answer = switch(client, "fr", next="/schema?q=table")
    assert (answer.status_code, answer["Location"]) == (302, "/schema?q=table")
    assert language(client.get("/", headers=ENGLISH)) == "fr"
    switch(client, "en")
    assert language(client.get("/", headers=FRENCH)) == "en"


def test_what_we_do_not_speak_changes_nothing(client: Client, collector: Collector) -> None:
    client.force_login(collector.user)
    for code in ("xx", "de", ""):
        assert switch(client, code).status_code == 302
    assert language(client.get("/feed")) == "fr"


def test_a_switch_leads_to_no_other_site(client: Client) -> None:
    assert switch(client, "fr", next="https://elsewhere.example/")["Location"] == "/"


def test_a_person_reads_their_choice_in_every_browser(collector: Collector) -> None:
    one, other = Client(headers=ENGLISH), Client(headers=ENGLISH)
    for each in (one, other):
        each.force_login(collector.user)
        assert language(each.get("/feed")) == "fr"
    switch(one, "en")
    assert language(other.get("/feed", headers=FRENCH)) == "en"
    assert User.objects.get(pk=collector.user.pk).language == "en"


def test_the_switch_is_on_every_page_and_names_each_language_by_its_own_name(client: Client) -> None:
    page = client.get("/schema?q=table", headers=FRENCH).content.decode()
    assert 'name="next" value="/schema?q=table"' in page
    assert re.search(r'value="fr" lang="fr" aria-current="true">Français</button>', page)
    assert re.search(r'value="en" lang="en" >English</button>', page)


def test_signing_up_in_french_is_answered_in_french_for_good(
    mailoutbox: list[EmailMultiAlternatives],
) -> None:
    client = browser()
    fields = {"email": "visiteuse@example.org", "password1": "une table en chêne"}
    client.post("/accounts/signup/", fields, headers=FRENCH)
    assert User.objects.get(email="visiteuse@example.org").language == "fr"
    (confirmation,) = mailoutbox
    assert confirmation.subject == fr("Confirm your email address for Le Subscribe")


def test_who_has_no_language_yet_gets_that_of_the_page_they_sign_in_on() -> None:
    user, client = person(), browser()
    switch(client, "fr")
    sign_in(client, user)
    assert User.objects.get(pk=user.pk).language == "fr"
    switch(client, "en")
    sign_in(browser(), user)
    assert User.objects.get(pk=user.pk).language == "en"


def test_a_mail_is_in_the_language_of_who_gets_it_not_of_who_asked_for_it(
    mailoutbox: list[EmailMultiAlternatives],
) -> None:
    User.objects.filter(pk=person().pk).update(language="fr")
    client = browser()
    answer = client.post("/accounts/password/reset/", {"email": ADDRESS}, headers=ENGLISH)
    assert answer["Content-Language"] == "en"
    (reset,) = mailoutbox
    assert reset.subject == fr("Choose a new password for Le Subscribe")


def test_what_a_worker_sends_is_in_the_language_of_its_owner(
    collector: Collector, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    search = services.subscribe(collector.user, "price <= 2000", now=timezone.now()).subscription
    collector.is_told((item(price=1250.5, title="Table en chêne"), search))
    assert sending.deliver(seconds=600) == 1
    (told,) = mailoutbox
    html = str(told.alternatives[0][0])
    assert '<html lang="fr">' in html
    assert "1\u202f250,50 EUR" in told.subject
    with translation.override("fr"):
        assert gettext("at most") in str(told.body)
    assert translation.get_language() == "en", "the next one may be for somebody else"


def test_the_log_of_what_was_sent_is_in_the_language_of_its_owner(collector: Collector) -> None:
    channel = collector.adds_channel("http://127.0.0.1:9/", Channel.Kind.WEBHOOK)
    plan(channel)
    sending.deliver(seconds=600)
    said = Attempt.objects.get(delivery__channel=channel).error
    assert said.startswith(fr("We do not send to {place}: it is {what}.").partition("{")[0])


def test_the_api_answers_in_the_language_that_is_asked_for(client: Client, collector: Collector) -> None:
    client.force_login(collector.user)
    for headers, sentence in ((ENGLISH, "Not found"), (FRENCH, fr("Not found"))):
        answer = client.get("/api/v1/nothing", headers=headers)
        assert answer.json()["title"] == sentence
    assert client.get("/api/v1/nothing").json()["title"] == "Not found"


def test_a_page_that_is_kept_is_kept_for_each_language(client: Client, collector: Collector) -> None:
    english = client.get("/schema", headers=ENGLISH)
    again = {"If-None-Match": english["ETag"]}
    assert client.get("/schema", headers={**ENGLISH, **again}).status_code == 304
    french = client.get("/schema", headers={**FRENCH, **again})
    assert (french.status_code, language(french)) == (200, "fr")


def test_an_atom_feed_is_in_the_language_of_its_owner(client: Client, collector: Collector) -> None:
    search = services.subscribe(collector.user, "price <= 2000", now=timezone.now()).subscription
    match(item(price=1250), search)
    address = links.atom_address(collector.user.pk).removeprefix(settings.BASE_URL)
    french = client.get(address, headers=ENGLISH)
    assert french["Content-Language"] == "fr"
    assert f"Le Subscribe: {fr('all my searches')}" in french.content.decode()
    assert "1\u202f250 EUR" in french.content.decode()
    User.objects.update(language="en")
    english = client.get(address, headers={"If-None-Match": french["ETag"]})
    assert "1,250 EUR" in english.content.decode()


def test_dates_and_numbers_are_written_as_the_language_has_them(client: Client, collector: Collector) -> None:
    client.force_login(collector.user)
    joined = collector.user.date_joined
    with translation.override("fr"):
        month = gettext(joined.strftime("%B"))
    assert f"{joined.day} {month} {joined.year}" in client.get("/account").content.decode()
    search = services.subscribe(collector.user, "price <= 1250.5", now=timezone.now()).subscription
    assert "1\u202f250,50 EUR" in client.get("/searches").content.decode()
    form = client.get(f"/searches/{search.pk}").content.decode()
    assert re.search(r'name="value[^"]*" id="[^"]*" value="1250\.5"', form), "a form takes plain numbers"
    assert "price &lt;= 1250.5" in form, "and so does the language of searches"


def test_deleting_an_account_says_goodbye_in_its_language(collector: Collector) -> None:
    delete(collector.user, now=timezone.now())
    assert mail.outbox[-1].subject == fr("Your account is deleted")


def test_a_problem_of_a_program_names_numbers_in_its_language(client: Client, collector: Collector) -> None:
    client.force_login(collector.user)
    body = json.dumps({"text": "x" * 70_000})
    answer = client.post("/language/check", body, content_type="application/json", headers=FRENCH)
    assert answer.status_code == 413
    assert re.search(r"\d\u202f\d{3}", answer.json()["detail"])
