"""`similar(title, 'omega seamaster', ?score)`: how much of a text is found in a title, from 0 to 100.

For each word of the text the word of the title that is most like it (rapidfuzz's `ratio`), and of these the
mean, where long words count more. So case, punctuation, the order of words and what else the title says do
not count, and a misspelt word counts nearly whole. Of long texts the beginnings are compared.
"""

from functools import lru_cache

from rapidfuzz.fuzz import ratio
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
    wanted = [_words(str(other)[:_COMPARED]) for other in each(text, MOST_VALUES)]
    given = [_words(str(one)[:_COMPARED]) for one in each(title, MOST_VALUES)]
    return [(_found(other, one),) for one in given for other in wanted]


def _found(wanted: tuple[str, ...], given: tuple[str, ...]) -> float:
    letters = sum(map(len, wanted))
    if not letters or not given:
        return 0.0
    return round(sum(len(word) * max(ratio(word, other) for other in given) for word in wanted) / letters, 1)


@lru_cache(maxsize=2_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(default_process(text).split())
