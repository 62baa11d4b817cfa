"""From what was written to what is meant: attributes, operators and values checked against the schema.

The only caller is the normaliser, leaf by leaf in the order of the text, so the first mistake in the
text is the one reported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lark import Token

from schema_registry.core.domains import Domain, TextDomain, Value
from schema_registry.core.errors import OutsideDomain, SubscriptionError
from schema_registry.core.nearest import nearest
from schema_registry.core.operators import OperatorDeclaration
from schema_registry.core.predicates import Predicate
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.core.text import words
from schema_registry.core.wording import did_you_mean, said_of, shown
from schema_registry.language.ast import Call, Comparison, Leaf, Test, Written, unquoted
from schema_registry.language.diagnostics import error_at
from schema_registry.language.operator_checker import OperatorChecker
from schema_registry.language.spelling import spelled
from schema_registry.language.terms import negation


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks what one text says against one schema, and calls against the operators that there are."""

    text: str
    schema: Schema
    operators: Mapping[str, OperatorDeclaration] = field(default_factory=dict)
    asks_operators: bool = True

    def leaf(self, written: Written, negated: bool) -> Leaf:
        """What was written, or its negation, in normal form. Raises SubscriptionError."""
        match written:
            case Call():
                return replace(self._of_operators.call(written), negated=negated)
            case Comparison():
                constraint = self._of_operators.constraint(written)
                return negation(constraint) if negated else constraint
        predicate, domain = self.predicate(written)
        return predicate.negation(domain) if negated else predicate

    @property
    def _of_operators(self) -> OperatorChecker:
        return OperatorChecker(self.text, self.schema, self.operators, self.asks_operators)

    def predicate(self, test: Test) -> tuple[Predicate, Domain]:
        """The predicate in normal form, and the domain of its attribute. Raises SubscriptionError."""
        attribute = str(test.attribute)  # a plain string is found quicker than a token
        domain = self.schema.domain_of.get(attribute)
        if domain is None:
            raise self._unknown_attribute(test.attribute)
        operator = test.operator.lower()
        if operator not in domain.operators:
            raise self._unsupported(test, operator, domain)
        values = self._values(test, operator, domain)
        if operator == "in" and len(values) == 1:
            operator = "="
        end = (test.values[-1] if test.values else test.operator).end_pos or 0
        return Predicate(attribute, operator, values, False, _start(test.attribute), end), domain

    def _values(self, test: Test, operator: str, domain: Domain) -> tuple[Value, ...]:
        if isinstance(domain, TextDomain):
            return tuple(word for token in test.values for word in self._words(test, token))
        values = tuple(self._constant(test, token, domain) for token in test.values)
        return tuple(sorted(set(values))) if operator == "in" else values

    def _constant(self, test: Test, token: Token, domain: Domain) -> Value:
        try:
            return domain.constant(unquoted(token))
        except OutsideDomain as error:
            suggestion = None if error.suggestion is None else spelled(error.suggestion)
            raise self._value_error(test, token, str(error), suggestion) from None

    def _words(self, test: Test, token: Token) -> list[str]:
        try:
            found = sorted(words(unquoted(token)))
        except OutsideDomain as error:
            raise self._value_error(test, token, str(error)) from None
        if not found:
            message = _("{value} contains no word.", value=shown(unquoted(token)))
            raise self._value_error(test, token, message)
        return found

    def _unknown_attribute(self, token: Token) -> SubscriptionError:
        deprecated = self.schema.deprecated.attributes
        suggestion = nearest(token, (name for name in self.schema.domain_of if name not in deprecated))
        message = _("There is no attribute {name}.", name=shown(str(token))) + did_you_mean(suggestion)
        return self._error(token, message, suggestion, (_("an attribute"),))

    def _value_error(
        self, test: Test, token: Token, message: str, suggestion: str | None = None
    ) -> SubscriptionError:
        expected = (_("a value of {attribute}", attribute=test.attribute),)
        return self._error(token, said_of(test.attribute, message), suggestion, expected)

    def _unsupported(self, test: Test, operator: str, domain: Domain) -> SubscriptionError:
        message = _(
            "{operator} does not apply to {attribute}, which is {kind} and knows {operators}.",
            operator=operator,
            attribute=test.attribute,
            kind=domain.kind,
            operators=" ".join(domain.operators),
        )
        suggestion = "contains" if isinstance(domain, TextDomain) and test.values else None
        return self._error(test.operator, message, suggestion, domain.operators)

    def _error(
        self, token: Token, message: str, suggestion: str | None = None, expected: tuple[str, ...] = ()
    ) -> SubscriptionError:
        start = _start(token)
        return error_at(
            self.text, start, start + len(token), message, expected=expected, suggestion=suggestion
        )


def _start(token: Token) -> int:
    return token.start_pos or 0
