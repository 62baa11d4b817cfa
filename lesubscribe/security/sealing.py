"""Secrets at rest, sealed with a key made of SECRET_KEY: a stolen database alone gives nothing away.

Django's SECRET_KEY_FALLBACKS count too: what was sealed with a key that has been replaced can be read as long
as the old one is named there. Without that it is lost.
"""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

_PURPOSE = b"lesubscribe.security.sealing"


class UnreadableError(Exception):
    """It was sealed with another key."""


def sealed(text: str) -> str:
    return _seals().encrypt(text.encode()).decode()


def opened(text: str) -> str:
    """Raises UnreadableError."""
    try:
        return _seals().decrypt(text.encode()).decode()
    except InvalidToken:
        raise UnreadableError from None


def _seals() -> MultiFernet:
    """New secrets are sealed with the first."""
    return MultiFernet([Fernet(_key(each)) for each in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str | bytes) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(force_bytes(secret))
    return urlsafe_b64encode(derived)
