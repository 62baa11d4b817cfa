"""`similar(title, 'omega seamaster', ?score)`: how alike two texts are, from 0 to 100, by rapidfuzz's WRatio.

Case and punctuation do not count, nor the order of words; a text that is a part of the other scores high, and
so do misspellings. Of a long text the beginning is compared.
"""

from functools import lru_cache

from rapidfuzz.fuzz import WRatio
from rapidfuzz.utils import default_process

from matching.operators.builtin import MOST_VALUES
from matching.operators.declaring import each, operator
from schema_registry.core.domains import Value
from schema_registry.core.sentences import gettext_noop

_COMPARED = 300  # characters


@operator(
    "similar(title: string, text: string, ?score: number)",
    cost=0.000_01,
    isolated=False,
    description=gettext_noop("How alike a text is to another, from 0 to 100."),
    label=gettext_noop("alike text"),
    sentence=gettext_noop("{title} {score} % like “{text}”"),
)
def similar(title: Value | tuple[Value, ...], text: Value | tuple[Value, ...]) -> list[tuple[float]]:
    """A row for each of the first 20 texts."""
    wanted = [_plain(str(other)[:_COMPARED]) for other in each(text, MOST_VALUES)]
    given = [_plain(str(one)[:_COMPARED]) for one in each(title, MOST_VALUES)]
    return [(round(WRatio(one, other), 1),) for one in given for other in wanted]


@lru_cache(maxsize=2_000)
def _plain(text: str) -> str:
    return " ".join(default_process(text).split())
