"""How people want to be told, and what is on its way to them.

Planning turns matches into deliveries: one row for each event and channel, or each digest and channel, with
its matches in a join table. Sending takes a delivery under a lease and writes down what came of it. So a
worker may die anywhere: the rows say what is still to be done, and an attempt carries the same id as the one
before it.
"""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from matching.models import Match, PublishedEvent, Subscription
from notifications.chat.services import service_of
from notifications.core.policy import Frequency, Revisions
from schema_registry.accounts import languages
from schema_registry.core.wording import said_of


class Channel(models.Model):
    """A way to reach a person. It is used only once its owner has shown that the address is theirs."""

    class Kind(models.TextChoices):
        EMAIL = "email", _("email")
        WEBHOOK = "webhook", _("webhook")
        CHAT = "chat", _("chat or push")

    class State(models.TextChoices):
        PENDING = "pending", _("waiting for confirmation")
        ACTIVE = "active", _("active")
        DISABLED = "disabled", _("switched off")

    class Wants(models.TextChoices):
        """What an owner still wants to get here; chosen when unsubscribing."""

        EVERYTHING = "everything", _("matches and notices")
        NOTICES = "notices", _("notices only")
        NOTHING = "nothing", _("nothing")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="channels",
        verbose_name=_("owner"),
        db_index=False,  # the unique key below begins with it
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    address = models.CharField(_("address"), max_length=2_000)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.PENDING)
    reason = models.TextField(_("why it is switched off"), blank=True)
    wants = models.CharField(_("wants"), max_length=10, choices=Wants, default=Wants.EVERYTHING)
    most_per_day = models.PositiveIntegerField(
        _("most messages a day"),
        null=True,
        blank=True,
        help_text=_("What comes after that waits for a digest."),
    )
    # Signs what is sent to a webhook. After a rotation both sign, until the receiver has had time to change.
    # Of a chat it is the whole address, with the tokens that `address` leaves out.
    secret = models.CharField(max_length=2_000, editable=False)
    old_secret = models.CharField(max_length=100, blank=True, editable=False)
    old_secret_until = models.DateTimeField(null=True, editable=False)
    challenge = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(_("created"))
    verified_at = models.DateTimeField(_("verified"), null=True, blank=True)
    # One that fails is left alone until `resume_at`, so that it does not take the time of the others.
    failures = models.PositiveIntegerField(_("failures in a row"), default=0)
    failing_since = models.DateTimeField(_("failing since"), null=True, blank=True)
    resume_at = models.DateTimeField(null=True, editable=False)
    removed_at = models.DateTimeField(null=True, editable=False)  # set aside by its owner, see `removal`

    class Meta:
        verbose_name = _("channel")
        verbose_name_plural = _("channels")
        constraints = (
            models.UniqueConstraint(fields=["owner", "kind", "address"], name="one_channel_per_address"),
        )
        # Whose channel it is does not matter to an address that gets too much.
        indexes = (
            models.Index(fields=["address"], name="channels_of_an_address"),
            models.Index(
                fields=["removed_at"],
                condition=models.Q(removed_at__isnull=False),
                name="channels_set_aside",
            ),
            models.Index(
                fields=["failing_since"], condition=models.Q(failures__gt=0), name="channels_failing"
            ),
        )

    def __str__(self) -> str:
        return said_of(self.get_kind_display(), self.address)

    @property
    def way(self) -> str:
        """What people call it: of a chat, the service."""
        service = service_of(self.address) if self.kind == self.Kind.CHAT else None
        return service.name if service else self.get_kind_display()


class Preferences(models.Model):
    """When a person may be told. Who has none is told at any hour, and digests go by UTC."""

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        primary_key=True,
        related_name="preferences",
        verbose_name=_("owner"),
    )
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    quiet_from = models.TimeField(_("quiet from"), null=True, blank=True)
    quiet_until = models.TimeField(_("quiet until"), null=True, blank=True)
    digest_at = models.TimeField(_("time of digests"), default="08:00")
    digest_weekday = models.PositiveSmallIntegerField(_("day of weekly digests"), default=0)  # 0 is Monday
    # Part of the secret addresses of the owner's Atom feeds: another one, and the old addresses lead nowhere.
    feed_nonce = models.CharField(max_length=32, blank=True, default="", editable=False)

    class Meta:
        verbose_name = _("preferences")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return f"{self.owner_id}: {self.time_zone}"

    @property
    def language(self) -> str | None:
        """What the owner chose to read, which is kept with the account."""
        return languages.known(self.owner.language) or None


class SharedSearch(models.Model):
    """A search that others may read by a link, see `sharing`. Without this row its links lead nowhere."""

    subscription = models.OneToOneField(
        Subscription, models.CASCADE, primary_key=True, related_name="shared", verbose_name=_("subscription")
    )
    # Part of the link: when sharing is stopped and begun again, the old link stays dead.
    nonce = models.CharField(max_length=32, editable=False)
    created_at = models.DateTimeField(_("created"))

    class Meta:
        verbose_name = _("shared search")
        verbose_name_plural = _("shared searches")

    def __str__(self) -> str:
        return str(self.subscription_id)


class Terms(models.Model):
    """How a subscription tells of its matches. One without terms tells at once, on every channel."""

    subscription = models.OneToOneField(
        Subscription, models.CASCADE, primary_key=True, related_name="terms", verbose_name=_("subscription")
    )
    frequency = models.CharField(
        _("frequency"), max_length=10, choices=[(each, each) for each in Frequency], default=Frequency.AT_ONCE
    )
    revisions = models.CharField(
        _("new revisions"),
        max_length=10,
        choices=[(each, each) for each in Revisions],
        default=Revisions.ONCE,
    )
    every_channel = models.BooleanField(_("on every channel"), default=True)
    channels = models.ManyToManyField(Channel, blank=True, related_name="terms", verbose_name=_("channels"))
    # Of the form with which the subscription was made, so that sending it twice makes one.
    form_digest = models.CharField(max_length=64, null=True, unique=True, editable=False)

    class Meta:
        verbose_name = _("terms")
        verbose_name_plural = _("terms")

    def __str__(self) -> str:
        return f"{self.subscription_id}: {self.frequency}"


class Delivery(models.Model):
    """A message to a channel. What makes it that message is its key, so planning it twice makes one row."""

    class Kind(models.TextChoices):
        MATCH = "match", _("match")
        DIGEST = "digest", _("digest")
        NOTICE = "notice", _("notice")
        VERIFY = "verify", _("verification")
        TEST = "test", _("test")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        DROPPED = "dropped", _("dropped")
        DEAD = "dead", _("given up")

    uid = models.UUIDField(_("id on the wire"), default=uuid.uuid4, unique=True, editable=False)
    channel = models.ForeignKey(  # the unique key below begins with it
        Channel, models.CASCADE, related_name="deliveries", verbose_name=_("channel"), db_index=False
    )
    key = models.CharField(max_length=100, editable=False)
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    event = models.ForeignKey(
        PublishedEvent, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("event")
    )
    about = models.JSONField(default=dict, editable=False)  # what a notice tells of
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.WAITING)
    planned_at = models.DateTimeField(_("planned"))
    next_attempt_at = models.DateTimeField(_("next attempt"))
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    leased_until = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    reason = models.TextField(_("what happened"), blank=True)

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        constraints = (models.UniqueConstraint(fields=["channel", "key"], name="one_delivery_per_key"),)
        indexes = (
            models.Index(
                fields=["next_attempt_at"], condition=models.Q(state="waiting"), name="deliveries_due"
            ),
            models.Index(fields=["channel", "-id"], name="deliveries_of_a_channel"),
            models.Index(fields=["channel", "state", "-id"], name="deliveries_by_state"),
            models.Index(  # from one channel to the next, and the first of each; see `due`
                fields=["channel", "next_attempt_at"],
                condition=models.Q(state="waiting"),
                name="deliveries_in_turn",
            ),
            models.Index(
                fields=["channel"],
                condition=models.Q(leased_until__isnull=False),
                name="deliveries_under_way",
            ),
            models.Index(  # with the state, they are counted without their rows
                fields=["state", "finished_at"],
                condition=models.Q(state="dead"),
                name="deliveries_given_up",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.uid}"

    @property
    def wire_id(self) -> str:
        """What receivers know it by, the same at every attempt."""
        return f"msg_{self.uid.hex}"


class Entry(models.Model):
    """A match that a delivery tells of. A match is told on a channel by one delivery only."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="entries")
    # Its delivery's, repeated for the unique key. Entries go with their delivery: nobody looks for them here.
    channel = models.ForeignKey(
        Channel, models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    match = models.ForeignKey(Match, models.CASCADE, related_name="entries", db_index=False)
    is_overflow = models.BooleanField(default=False)  # in a digest since the channel had its most of the day
    is_told = models.BooleanField(default=False)  # it was in a message that arrived

    class Meta:
        constraints = (models.UniqueConstraint(fields=["match", "channel"], name="one_entry_per_channel"),)

    def __str__(self) -> str:
        return f"match {self.match_id} in delivery {self.delivery_id}"


class Attempt(models.Model):
    """One try of a delivery: what was sent, what came back."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="log")
    number = models.PositiveSmallIntegerField(_("attempt"))
    began_at = models.DateTimeField(pgettext_lazy("when", "began"))
    milliseconds = models.PositiveIntegerField(_("took, in ms"))
    is_success = models.BooleanField(_("arrived"))
    status = models.PositiveSmallIntegerField(_("status"), null=True, blank=True)
    request = models.TextField(_("request"), blank=True)
    response = models.TextField(_("response"), blank=True)
    error = models.TextField(_("error"), blank=True)

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")

    def __str__(self) -> str:
        return f"{self.delivery_id}, attempt {self.number}"


class Allowance(models.Model):
    """How many messages an address was given on a day, whoever's channel it is."""

    address = models.CharField(max_length=2_000)
    day = models.DateField()
    used = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["address", "day"], name="one_allowance_per_day"),)

    def __str__(self) -> str:
        return f"{self.address} on {self.day}: {self.used}"


class SendingSwitch(models.Model):
    """One row: whether sending is halted, for all. Planning goes on, so nothing is lost meanwhile."""

    is_halted = models.BooleanField(_("halted"), default=False)
    reason = models.CharField(_("why"), max_length=200, blank=True)
    changed_at = models.DateTimeField(_("changed"), null=True, blank=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("changed by"),
    )

    class Meta:
        verbose_name = _("sending")
        verbose_name_plural = _("sending")

    def __str__(self) -> str:
        return gettext("it is halted") if self.is_halted else gettext("it is on")


class Replay(models.Model):
    """Sending again what a webhook was sent in a span of time, some at a time. See `replays`."""

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="replays", verbose_name=_("channel"))
    since = models.DateTimeField(_("from"))
    until = models.DateTimeField(_("until"))
    last = models.BigIntegerField(editable=False)  # the numbers of its deliveries go up to here ...
    up_to = models.BigIntegerField(editable=False)  # ... and those up to here had their turn
    total = models.PositiveIntegerField(_("deliveries"))
    begun = models.PositiveIntegerField(_("of them on their way again"), default=0)
    asked_at = models.DateTimeField(_("asked for"))
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    is_stopped = models.BooleanField(_("stopped by its owner"), default=False)

    class Meta:
        verbose_name = _("replay")
        verbose_name_plural = _("replays")
        constraints = (
            models.UniqueConstraint(
                fields=["channel"],
                condition=models.Q(finished_at__isnull=True),
                name="one_replay_at_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"{self.channel_id}: {self.since} to {self.until}"


class MailEvent(models.Model):
    """What our mail service told of an address: that a mail came back, or was called spam. See `bounces`."""

    class Kind(models.TextChoices):
        RETURNED = "returned", _("came back for good")
        DELAYED = "delayed", _("came back this time")
        COMPLAINT = "complaint", _("was called spam")

    key = models.CharField(max_length=64, unique=True, editable=False)  # tells that it is told again
    address = models.CharField(_("address"), max_length=254)
    kind = models.CharField(_("what happened"), max_length=10, choices=Kind)
    said = models.CharField(_("what the mail service says"), max_length=500, blank=True)
    happened_at = models.DateTimeField(_("when"))

    class Meta:
        verbose_name = _("returned mail")
        verbose_name_plural = _("returned mails")
        indexes = (models.Index(fields=["address", "kind", "happened_at"], name="mail_events_of_an_address"),)

    def __str__(self) -> str:
        return said_of(self.address, self.get_kind_display())
