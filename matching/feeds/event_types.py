"""Which event types a row has: those of the first rule that fits, or else the default.

A rule looks at one field: whether it is one of some values, starts with one of some, or has one of some
words. Capitals make no difference.
"""

from collections.abc import Callable
from dataclasses import dataclass

from matching.feeds.amounts import UnreadableError
from matching.feeds.casts import Money
from matching.feeds.faults import Part
from matching.feeds.remembering import Remembering
from matching.feeds.sources import Row, Source
from schema_registry.core.errors import OutsideDomain
from schema_registry.core.sentences import gettext as _
from schema_registry.core.text import words

Types = tuple[str, ...]
TESTS = ("is", "starts_with", "has_words")


@dataclass(frozen=True, slots=True)
class Rule:
    """`test` is one of TESTS, `wanted` what it looks for."""

    field: str
    key: str
    test: str
    wanted: tuple[str, ...]
    then: Types

    def fits(self, text: str) -> bool:
        """`text` is casefolded, as `wanted` is."""
        if self.test == "is":
            return text in self.wanted
        if self.test == "starts_with":
            return text.startswith(self.wanted)
        try:
            return not set(words(text)).isdisjoint(self.wanted)
        except OutsideDomain:
            return False


@dataclass(frozen=True, slots=True)
class EventTypes:
    rules: tuple[Rule, ...] = ()
    default: Types = ()

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(rule.field for rule in self.rules)

    @property
    def possible(self) -> tuple[Types, ...]:
        """What a row's types can be."""
        return tuple(
            dict.fromkeys([rule.then for rule in self.rules] + ([self.default] if self.default else []))
        )

    def compiled(self) -> Callable[[Row], Types]:
        """A function that gives the types of a row, or raises UnreadableError."""
        if not self.rules:
            return lambda row: self.default
        taken = {
            (rule.field, rule.key): Source((rule.field,), key=rule.key).compiled(None, Money())
            for rule in self.rules
        }
        rules = [(rule, (rule.field, rule.key)) for rule in self.rules]

        def types(row: Row) -> Types:
            folded: dict[tuple[str, str], str] = {}
            for rule, place in rules:
                text = folded.get(place)
                if text is None:
                    text = folded[place] = (taken[place](row) or "").casefold()
                if text and rule.fits(text):
                    return rule.then
            if not self.default:
                raise UnreadableError(_("No rule for event types fits this row, and there is no default."))
            return self.default

        if len(taken) > 1:
            return types
        # Mostly it is a field with few values. A row without it has no types, or the default ones.
        ask = Remembering(lambda raw: types({self.rules[0].field: raw}))
        return lambda row: ask(row.get(self.rules[0].field) or "")


def read_event_types(part: Part) -> EventTypes:
    """The rules and the default; faults are noted."""
    part.only(("rules", "default"))
    if not part.has("rules") and not part.has("default"):
        part.note("", _("This needs 'rules', a 'default', or both."))
    rules = tuple(_read_rule(each) for each in part.parts("rules"))
    return EventTypes(rules, part.texts("default"))


def _read_rule(part: Part) -> Rule:
    part.only(("field", "key", *TESTS, "then"))
    tests = [test for test in TESTS if part.has(test)]
    if len(tests) != 1:
        part.note("", _("A rule has one of {tests}.", tests=", ".join(TESTS)))
    test = tests[0] if tests else TESTS[0]
    wanted = tuple(each.casefold() for each in part.texts(test))
    if not part.has("then"):
        part.note("then", _("This is required."))
    return Rule(part.required("field"), part.text("key"), test, wanted, part.texts("then"))
