import pytest
from django.db import IntegrityError

from schema_registry.accounts.models import User

pytestmark = pytest.mark.django_db


def test_a_user_is_known_by_the_address_in_any_case() -> None:
    user = User.objects.create_user("Reader@Example.org", "password")
    assert User.objects.get_by_natural_key("reader@example.ORG") == user
    assert user.check_password("password")


def test_two_users_cannot_share_an_address_in_different_case() -> None:
    User.objects.create_user("reader@example.org")
    with pytest.raises(IntegrityError):
        User.objects.create_user("READER@example.org")


def test_a_user_needs_an_address() -> None:
    with pytest.raises(ValueError, match="needs an e-mail address"):
        User.objects.create_user("")


def test_a_user_without_a_password_cannot_sign_in() -> None:
    assert not User.objects.create_user("reader@example.org").has_usable_password()


def test_a_superuser_may_enter_the_administration() -> None:
    user = User.objects.create_superuser("boss@example.org", "password")
    assert user.is_staff
    assert user.is_superuser
