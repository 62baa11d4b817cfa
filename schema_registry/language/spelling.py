"""The canonical spelling: how values, predicates and whole expressions are written.

The same meaning is always written the same way, and parses back to itself. Values are bare only when
they are plain words; everything else but numbers is quoted.
"""

import re
from collections.abc import Callable, Mapping

from schema_registry.core.decimals import number_text
from schema_registry.core.definitions import KEYWORDS
from schema_registry.core.domains import Domain, NumericDomain, TextDomain, Value
from schema_registry.core.operators import (
    Arithmetic,
    CallArgument,
    Constant,
    OfAttribute,
    OperatorCall,
    Term,
    ValueConstraint,
    Variable,
)
from schema_registry.core.predicates import OPPOSITE, Predicate
from schema_registry.language.ast import And, Expression, Leaf, Or
from schema_registry.language.diagnostics import quoted

_BARE = re.compile(r"[^\W\d][\w.-]*")
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}


def spelled(value: str) -> str:
    """The value as it is written: bare or quoted."""
    return value if _BARE.fullmatch(value) and value.lower() not in KEYWORDS else quoted(value)


def predicate_text(predicate: Predicate, domain: Domain) -> str:
    """The predicate as it is written.

    A domain may lack the very operator of the normal form: then it is written by an operator that the
    domain has, the way it must have been written before.
    """
    attribute, operator = predicate.attribute, predicate.operator
    if operator in domain.operators:
        body = f"{attribute} {operator}{_values_text(predicate, domain)}"
        return f"not {body}" if predicate.negated else body
    value = _values_text(predicate, domain)
    if OPPOSITE[operator] in domain.operators:
        return f"not {attribute} {OPPOSITE[operator]}{value}"
    body = f"{attribute} in ({value.strip()})"
    return f"not {body}" if operator == "!=" else body


def expression_text(expression: Expression, domain_of: Mapping[str, Domain]) -> str:
    """The expression as it is written, with no more parentheses than it needs."""
    match expression:
        case And(parts):
            texts = (expression_text(part, domain_of) for part in parts)
            return " and ".join(
                f"({text})" if isinstance(part, Or) else text for part, text in zip(parts, texts, strict=True)
            )
        case Or(parts):
            return " or ".join(expression_text(part, domain_of) for part in parts)
    return leaf_text(expression, domain_of)


def leaf_text(leaf: Leaf, domain_of: Mapping[str, Domain]) -> str:
    """A predicate, a call or a value constraint as it is written."""
    match leaf:
        case Predicate():
            return predicate_text(leaf, domain_of[leaf.attribute])
        case OperatorCall():
            return call_text(leaf)
    return constraint_text(leaf)


def call_text(call: OperatorCall) -> str:
    body = f"{call.operator}({', '.join(map(argument_text, call.arguments))})"
    return f"not {body}" if call.negated else body


def constraint_text(constraint: ValueConstraint) -> str:
    return f"{term_text(constraint.left)} {constraint.comparator} {term_text(constraint.right)}"


def value_text(value: Value) -> str:
    """A value in a call, or beside a variable: never a bare word."""
    return quoted(value) if isinstance(value, str) else number_text(value)


def argument_text(argument: CallArgument) -> str:
    match argument:
        case Constant(value):
            return value_text(value)
        case OfAttribute(attribute):
            return attribute
    return f"?{argument.name}"


def term_text(term: Term, operand: Callable[[Constant | Variable], str] = argument_text) -> str:
    """With parentheses where without them it would be computed in another order."""
    if not isinstance(term, Arithmetic):
        return operand(term)
    binds = _BINDS[term.operator]
    left, right = term_text(term.left, operand), term_text(term.right, operand)
    if isinstance(term.left, Arithmetic) and _BINDS[term.left.operator] < binds:
        left = f"({left})"
    if isinstance(term.right, Arithmetic) and _BINDS[term.right.operator] <= binds:
        right = f"({right})"
    return f"{left} {term.operator} {right}"


def _values_text(predicate: Predicate, domain: Domain) -> str:
    if isinstance(domain, TextDomain):
        words = " ".join(str(word) for word in predicate.values)
        return f" {spelled(words)}" if words else ""
    texts = [domain.text(value) for value in predicate.values]
    if not isinstance(domain, NumericDomain):
        texts = [spelled(text) for text in texts]
    match predicate.operator:
        case "in":
            return f" ({', '.join(texts)})"
        case "between":
            return f" {texts[0]} and {texts[1]}"
    return "".join(f" {text}" for text in texts)
