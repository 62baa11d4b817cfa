"""Operator calls and value constraints checked against declarations and schema, one by one.

What needs a whole conjunction, such as whether a variable gets a value, is checked in `variables`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from lark import Token

from schema_registry.core.domains import Domain, NumericDomain, Value
from schema_registry.core.errors import OutsideDomain, SubscriptionError
from schema_registry.core.nearest import nearest
from schema_registry.core.operators import (
    Argument,
    Arithmetic,
    CallArgument,
    Constant,
    OfAttribute,
    OperatorCall,
    OperatorDeclaration,
    Term,
    ValueConstraint,
    Variable,
)
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_lazy
from schema_registry.core.text import nfc
from schema_registry.core.wording import did_you_mean, printable, shown
from schema_registry.language.ast import (
    Calculation,
    Call,
    Comparison,
    Operand,
    end_of,
    size_of,
    start_of,
    unquoted,
)
from schema_registry.language.diagnostics import ATTRIBUTE_NAME, error_at, quoted
from schema_registry.language.limits import MOST_OPERANDS
from schema_registry.language.terms import in_order

KINDS = {
    "number": gettext_lazy("a number"),
    "string": gettext_lazy("a text"),
    "any": gettext_lazy("a number or a text"),
}
_NUMBERS = NumericDomain()


def fits(domain: Domain, argument: Argument) -> bool:
    """Whether an attribute of this domain may stand in this place."""
    return argument.type in ("any", "number" if isinstance(domain, NumericDomain) else "string")


def refusal_of(
    value: Value, argument: Argument, declaration: OperatorDeclaration
) -> tuple[str, str | None] | None:
    """What an operator has against a constant in this place: a sentence, and what may have been meant."""
    if declaration.check_constant is None:
        return None
    refused = declaration.check_constant(argument.name, value)
    return (refused, None) if isinstance(refused, str) else refused


@dataclass(frozen=True, slots=True)
class OperatorChecker:
    """Checks the calls and constraints of one text; `asks_operators` whether their constants are any good."""

    text: str
    schema: Schema
    operators: Mapping[str, OperatorDeclaration]
    asks_operators: bool = True

    def call(self, call: Call) -> OperatorCall:
        """The call with its arguments as they are meant. Raises SubscriptionError."""
        name = str(call.operator)
        declaration = self.operators.get(name)
        if declaration is None:
            raise self._unknown_operator(call.operator)
        if len(call.arguments) != len(declaration.arguments):
            raise self._wrong_number(call, declaration)
        arguments = tuple(
            self._argument(token, argument, declaration)
            for token, argument in zip(call.arguments, declaration.arguments, strict=True)
        )
        return OperatorCall(name, arguments, False, start_of(call.operator), call.end)

    def constraint(self, comparison: Comparison) -> ValueConstraint:
        """The constraint, in its one form. Raises SubscriptionError."""
        left, right = comparison.left, comparison.right
        start, end = start_of(left), end_of(right)
        size = size_of(left) + size_of(right)
        if size > MOST_OPERANDS:
            message = _(
                "A comparison has at most {most} numbers and variables; this one has {count}.",
                most=MOST_OPERANDS,
                count=size,
            )
            raise error_at(self.text, start, end, message)
        meant = in_order(
            ValueConstraint(self._term(left), str(comparison.comparator), self._term(right), start, end)
        )
        if not meant.variables:
            raise self._nothing_to_compare(comparison)
        return meant

    def _argument(self, token: Token, argument: Argument, declaration: OperatorDeclaration) -> CallArgument:
        if argument.is_result:
            if token.type != "VARIABLE":
                raise self._not_a_variable(token, argument, declaration)
            return Variable(token[1:])
        match token.type:
            case "VARIABLE":
                message = _(
                    "{place} of {operator} is no result: it takes an attribute or a value, not a variable.",
                    place=argument.name,
                    operator=declaration.name,
                )
                raise self._error(token, message, expected=(_("an attribute"), _("a value")))
            case "NAME":
                return self._attribute(token, argument, declaration)
        constant = self._constant(token)
        if argument.type not in ("any", _kind(constant)):
            raise self._misfit(token, KINDS[_kind(constant)], argument, declaration)
        if self.asks_operators:
            self._ask(token, constant, argument, declaration)
        return constant

    def _ask(
        self, token: Token, constant: Constant, argument: Argument, declaration: OperatorDeclaration
    ) -> None:
        """Raises SubscriptionError for a constant with which no call could ever be true."""
        try:
            refused = refusal_of(constant.value, argument, declaration)
        except Exception:  # whatever a plug-in raises is its own failure, and says nothing of the constant
            return
        if refused is not None:
            sentence, meant = refused
            suggestion = quoted(meant) if meant else None
            message = f"{argument.name}: {sentence}"
            raise self._error(token, message, suggestion, (argument.name,))

    def _attribute(self, token: Token, argument: Argument, declaration: OperatorDeclaration) -> OfAttribute:
        domain = self.schema.domain_of.get(str(token))
        if domain is None:
            value = quoted(str(token))
            near = nearest(token, (each for each in self.schema.domain_of if each not in self._deprecated))
            message = _(
                "There is no attribute {name}; a text is in quotes here: {value}.",
                name=shown(str(token)),
                value=printable(value),
            )
            raise self._error(token, message + did_you_mean(near), value, (_("an attribute"), _("a value")))
        if not fits(domain, argument):
            raise self._misfit(token, domain.kind, argument, declaration)
        return OfAttribute(str(token))

    @property
    def _deprecated(self) -> frozenset[str]:
        return self.schema.deprecated.attributes

    def _term(self, operand: Operand) -> Term:
        if isinstance(operand, Calculation):
            left, right = self._number(operand.left), self._number(operand.right)
            return Arithmetic(str(operand.operator), left, right)
        return Variable(operand[1:]) if operand.type == "VARIABLE" else self._constant(operand)

    def _number(self, operand: Operand) -> Term:
        if isinstance(operand, Token) and operand.type == "STRING":
            number = unquoted(operand)
            suggestion = number if number.isdecimal() and number.isascii() else None
            message = _("Only numbers can be added, subtracted, multiplied and divided.")
            raise self._error(operand, message, suggestion, (_("a number"), _("a variable")))
        return self._term(operand)

    def _constant(self, token: Token) -> Constant:
        try:
            if token.type == "STRING":
                return Constant(nfc(unquoted(token)))
            return Constant(_NUMBERS.constant(str(token)))
        except OutsideDomain as error:
            raise self._error(token, str(error)) from None

    def _unknown_operator(self, name: Token) -> SubscriptionError:
        near = nearest(name, self.operators)
        message = _(
            "{name}(...) calls an operator, and there is none of that name here.", name=printable(name)
        )
        return self._error(name, message + did_you_mean(near), near, tuple(sorted(self.operators)[:5]))

    def _wrong_number(self, call: Call, declaration: OperatorDeclaration) -> SubscriptionError:
        message = _(
            "{operator} is called as {signature}; here the number of arguments is {count}.",
            operator=declaration.name,
            signature=declaration.signature,
            count=len(call.arguments),
        )
        return error_at(
            self.text, start_of(call.operator), call.end, message, expected=(declaration.signature,)
        )

    def _not_a_variable(
        self, token: Token, argument: Argument, declaration: OperatorDeclaration
    ) -> SubscriptionError:
        variable = f"?{argument.name}"
        message = _(
            "{place} is a result of {operator}, so a variable stands here, such as {variable}.",
            place=argument.name,
            operator=declaration.name,
            variable=variable,
        )
        return self._error(token, message, variable, (_("a variable"),))

    def _misfit(
        self, token: Token, kind: object, argument: Argument, declaration: OperatorDeclaration
    ) -> SubscriptionError:
        message = _(
            "{found} is {kind}, and {place} of {operator} takes {needed}.",
            found=printable(token),
            kind=kind,
            place=argument.name,
            operator=declaration.name,
            needed=KINDS[argument.type],
        )
        suggestion = quoted(str(token)) if argument.type == "string" and token.type == "FIGURE" else None
        return self._error(token, message, suggestion, (str(KINDS[argument.type]),))

    def _nothing_to_compare(self, comparison: Comparison) -> SubscriptionError:
        left = comparison.left
        if isinstance(left, Token) and left.type == "STRING":
            name = unquoted(left)
            suggestion = name if ATTRIBUTE_NAME.fullmatch(name) else None
            message = _("An attribute is written without quotes.")
            return self._error(left, message, suggestion, (_("an attribute"),))
        message = _("Nothing is asked here: a comparison has an attribute on its left, or a variable.")
        start, end = start_of(left), end_of(comparison.right)
        return error_at(self.text, start, end, message, expected=(_("an attribute"), _("a variable")))

    def _error(
        self, token: Token, message: str, suggestion: str | None = None, expected: tuple[str, ...] = ()
    ) -> SubscriptionError:
        start = start_of(token)
        return error_at(
            self.text, start, start + len(token), message, expected=expected, suggestion=suggestion
        )


def _kind(constant: Constant) -> str:
    return "number" if isinstance(constant.value, float) else "string"
