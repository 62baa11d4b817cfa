"""The ways in that somebody has beside the password."""

from dataclasses import dataclass, field

from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator

from schema_registry.accounts.models import User

SECOND_STEPS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


@dataclass(slots=True)
class Ways:
    """`app` is that of an authenticator app, `codes` are those for when all else is lost."""

    passkeys: list[Authenticator] = field(default_factory=list)
    app: Authenticator | None = None
    codes: Authenticator | None = None

    @property
    def are_two_steps(self) -> bool:
        return bool(self.passkeys or self.app)

    @property
    def codes_left(self) -> int:
        """Without opening them, as that needs the key of before SECRET_KEY was changed."""
        if self.codes is None:
            return 0
        used: int = self.codes.data["used_mask"]
        return self.codes_made - used.bit_count()

    @property
    def codes_made(self) -> int:
        made: int = app_settings.RECOVERY_CODE_COUNT
        return made


def ways_of(user: User) -> Ways:
    """One query."""
    ways = Ways()
    for each in Authenticator.objects.filter(user=user).order_by("pk"):
        if each.type == Authenticator.Type.WEBAUTHN:
            ways.passkeys.append(each)
        elif each.type == Authenticator.Type.TOTP:
            ways.app = each
        else:
            ways.codes = each
    return ways
