"""`manage.py issue_key publisher NAME --scope events`, `issue_key subscriber EMAIL`."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import (
    SCOPES_OF_PUBLISHERS,
    SCOPES_OF_SUBSCRIBERS,
    KeyRefusedError,
    issue_key,
    publisher_named,
    subscriber_named,
)


class Command(BaseCommand):
    help = "Issues an API key, and makes the account if need be. The key is the last line printed."
    requires_system_checks = ()  # they would import all pages first, which takes longer than this

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=["publisher", "subscriber"])
        parser.add_argument("name", help="the publisher's name or the subscriber's e-mail address")
        parser.add_argument("--scope", action="append", choices=Scope.values, help="repeatable; default: all")

    def handle(self, *args: Any, kind: str, name: str, scope: list[str] | None, **options: Any) -> None:
        possible = SCOPES_OF_PUBLISHERS if kind == "publisher" else SCOPES_OF_SUBSCRIBERS
        scopes = [Scope(word) for word in scope or possible]
        if foreign := set(scopes) - set(possible):
            raise CommandError(f"A {kind} cannot have the scope {', '.join(sorted(foreign))}.")
        user = self._publisher(name) if kind == "publisher" else self._subscriber(name)
        try:
            key, secret = issue_key(user, scopes)
        except KeyRefusedError as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"A key for {kind} {name} ({', '.join(key.scopes)}); it is shown only this once:")
        self.stdout.write(secret)

    def _publisher(self, name: str) -> User:
        if not name.strip():
            raise CommandError("A publisher needs a name.")
        publisher = publisher_named(name.strip(), state=Publisher.State.APPROVED)
        if publisher.state != Publisher.State.APPROVED:
            self.stderr.write(
                f"Note: {name} is {publisher.get_state_display()}; the key works once approved."
            )
        return publisher.user

    def _subscriber(self, email: str) -> User:
        try:
            validate_email(email)
        except ValidationError:
            raise CommandError(f"{email!r} is not an e-mail address.") from None
        return subscriber_named(email)
