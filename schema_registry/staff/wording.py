from collections.abc import Iterable

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext


def listed(names: Iterable[object], most: int = 12) -> str:
    """The names as part of a sentence, cut when there are many."""
    words = [str(name) for name in names]
    if len(words) <= most + 1:  # "and 1 more" is no shorter than the name
        return get_text_list(words, _("and"))
    rest = len(words) - most
    more = ngettext("%(rest)d more", "%(rest)d more", rest) % {"rest": rest}
    return get_text_list([*words[:most], more], _("and"))
