"""People, publishers, and the keys their programs use.

People sign in with their e-mail address; there are no user names. A publisher is an organisation: its
programs act as its service user, which nobody can sign in as, and its members look after it.
"""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Raises ValueError without an address. A user without a password cannot sign in until one is set."""
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True, **fields})

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=150, blank=True)
    is_staff = models.BooleanField(_("staff"), default=False, help_text=_("May enter the administration."))
    is_active = models.BooleanField(_("active"), default=True, help_text=_("Switch off rather than delete."))
    # Of `settings.LANGUAGES`; empty until they have come in by a page. See `languages`.
    language = models.CharField(_("language"), max_length=10, blank=True, default="")
    date_joined = models.DateTimeField(_("joined"), default=timezone.now, editable=False)
    # Its owner has ended it; what belongs to it is erased bit by bit. Nobody can sign in meanwhile.
    deleted_at = models.DateTimeField(_("deleted"), null=True, blank=True, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = (models.UniqueConstraint(Lower("email"), name="one_user_per_address_in_any_case"),)
        indexes = (
            models.Index(
                fields=["deleted_at"],
                condition=models.Q(deleted_at__isnull=False),
                name="users_to_erase",
            ),
        )

    def __str__(self) -> str:
        return self.email


class Publisher(models.Model):
    class State(models.TextChoices):
        PENDING = "pending", _("waiting for approval")
        APPROVED = "approved", _("approved")
        SUSPENDED = "suspended", _("suspended")

    name = models.CharField(_("name"), max_length=100, unique=True)
    user = models.OneToOneField(
        User, models.PROTECT, related_name="publisher", verbose_name=_("service user")
    )
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.PENDING)
    extensions_per_day = models.PositiveIntegerField(
        _("schema extensions per day"),
        default=200,
        help_text=_("The schema is shared by all; this keeps one publisher from flooding it."),
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("publisher")
        verbose_name_plural = _("publishers")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person who looks after a publisher: its keys, its items, what it adds to the schema."""

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships", verbose_name=_("user"))
    publisher = models.ForeignKey(  # the unique key below begins with it
        Publisher, models.CASCADE, related_name="memberships", verbose_name=_("publisher"), db_index=False
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("member of a publisher")
        verbose_name_plural = _("members of publishers")
        constraints = (
            models.UniqueConstraint(fields=["publisher", "user"], name="one_membership_per_person"),
        )

    def __str__(self) -> str:
        return f"{self.user}, {self.publisher}"


class Invitation(models.Model):
    """Somebody at this address is asked to look after a publisher too; see `invitations`."""

    publisher = models.ForeignKey(  # the unique key below begins with it
        Publisher, models.CASCADE, related_name="invitations", verbose_name=_("publisher"), db_index=False
    )
    email = models.EmailField(_("e-mail address"))
    invited_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    invited_at = models.DateTimeField(_("invited"))
    mailed_at = models.DateTimeField(_("mail sent"), null=True)
    closed_at = models.DateTimeField(_("closed"), null=True)  # taken up, turned down or taken back

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = (
            models.UniqueConstraint("publisher", Lower("email"), name="one_invitation_per_address"),
        )

    def __str__(self) -> str:
        return f"{self.email}, {self.publisher}"


class Scope(models.TextChoices):
    """What a key may be used for."""

    EVENTS = "events", _("publish events")
    SCHEMA = "schema", _("extend the schema")
    SUBSCRIPTIONS = "subscriptions", _("manage subscriptions and read matches")


class ApiKey(models.Model):
    """A secret that lets a program act as a user. Only its HMAC is stored; the prefix tells keys apart.

    A user may have several live keys, so that a new one can be brought in before the old one is revoked.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="keys", verbose_name=_("user"))
    name = models.CharField(_("name"), max_length=100, blank=True)
    prefix = models.CharField(_("prefix"), max_length=12)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(_("scopes"), default=list)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    # The one that this was made to take the place of; both work until that is revoked.
    replaces = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, editable=False, related_name="successors"
    )

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")

    def __str__(self) -> str:
        return f"{self.prefix}... ({self.user})"
