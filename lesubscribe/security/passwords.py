"""Passwords that who knows this site would try first; Django knows those that are tried everywhere."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# Without spaces and accents, as they are compared.
WORDS_OF_OURS = frozenset(
    {"lesubscribe", "subscribe", "subscriber", "subscription", "abonnement", "recherche", "notification"}
    | {"auction", "auctions", "auctioneer", "auctionhouse", "enchere", "encheres", "publisher", "editeur"}
)
_NO_LETTER = re.compile(r"[\W\d_]+")


class WordsOfOursValidator:
    """Refuses a word of ours with nothing but digits, spaces and signs around it."""

    def validate(self, password: str, user: object = None) -> None:
        without_accents = unicodedata.normalize("NFKD", password.casefold())
        if _NO_LETTER.sub("", without_accents) in WORDS_OF_OURS:
            raise ValidationError(_("Who knows this site would try this password first."), "word_of_ours")

    def get_help_text(self) -> str:
        return _("It is more than a word of this site with some digits.")
