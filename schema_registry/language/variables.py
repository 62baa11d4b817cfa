"""Whether each variable gets a value where it is used, and is a number or a text throughout.

Both are asked of the conjunctions, since only there is it settled which calls are made: in
`not (distance(location, 'Lyon', ?km) and ?km < 50)` the call is negated, and the comparison is another
alternative, in which nothing gives `?km` a value.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.nearest import nearest
from schema_registry.core.operators import (
    Arithmetic,
    Constant,
    OperatorCall,
    OperatorDeclaration,
    OperatorPart,
    Term,
    ValueConstraint,
    Variable,
    name_key,
)
from schema_registry.core.predicates import Conjunction
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import did_you_mean, printable
from schema_registry.language.diagnostics import error_at
from schema_registry.language.operator_checker import KINDS
from schema_registry.language.spelling import constraint_text

Operators = Mapping[str, OperatorDeclaration]


def check_variables(text: str, conjunctions: Sequence[Conjunction], operators: Operators) -> None:
    """Raises SubscriptionError for the first variable without a value, or of two kinds. Linear."""
    parts = dict.fromkeys(each.operators for each in conjunctions)
    calls = {call: None for part in parts for call in part.calls}
    for part in parts:
        bound = {name for call in part.calls if not call.negated for name in call.variables}
        for constraint in part.constraints:
            missing = sorted(constraint.variables - bound, key=name_key)
            if missing:
                raise _without_a_value(text, missing[0], constraint, calls)
        _Kinds(text, operators).check(part)


def _without_a_value(
    text: str, name: str, constraint: ValueConstraint, calls: Iterable[OperatorCall]
) -> SubscriptionError:
    asked, variable = printable(constraint_text(constraint)), f"?{name}"
    binding = [call for call in calls if name in call.variables]
    suggestion = None
    if not binding:
        near = nearest(name, (each for call in calls if not call.negated for each in call.variables))
        suggestion = None if near is None else f"?{near}"
        message = _("{variable} gets no value: no call has it as a result.", variable=variable)
        message += did_you_mean(suggestion)
    elif all(call.negated for call in binding):
        message = _(
            "{variable} gets no value for {asked}: {operator}(...) is negated there, and a negated call gives"
            " none. 'not (A and B)' means 'not A or not B'.",
            variable=variable,
            asked=asked,
            operator=binding[0].operator,
        )
    else:
        message = _(
            "{variable} gets no value for {asked} in one of the alternatives: the call that gives it one"
            " must hold together with it, joined by 'and'.",
            variable=variable,
            asked=asked,
        )
    expected = (_("a call that has {variable} as a result", variable=variable),)
    return error_at(text, constraint.start, constraint.end, message, expected=expected, suggestion=suggestion)


class _Kinds:
    """What the variables of one conjunction are known to be."""

    def __init__(self, text: str, operators: Operators) -> None:
        self._text = text
        self._operators = operators
        self._known: dict[str, str] = {}

    def check(self, part: OperatorPart) -> None:
        for call in part.calls:
            if not call.negated:
                declared = self._operators[call.operator].arguments
                for place, argument in zip(call.arguments, declared, strict=True):
                    if isinstance(place, Variable):
                        self._is(place.name, argument.type, call)
        before = None
        while before != self._known:  # what one comparison says of a variable, another may need to know
            before = dict(self._known)
            for constraint in part.constraints:
                self._compare(constraint)

    def _compare(self, constraint: ValueConstraint) -> None:
        for name in (*_computed(constraint.left), *_computed(constraint.right)):
            self._is(name, "number", constraint)
        left, right = self._kind(constraint.left), self._kind(constraint.right)
        for term, kind in ((constraint.left, right), (constraint.right, left)):
            if isinstance(term, Variable):
                self._is(term.name, kind, constraint)
        if "any" not in (left, right) and left != right:  # a sum and a text: there is no variable to name
            message = _("A number cannot be compared with a text.")
            raise error_at(self._text, constraint.start, constraint.end, message)

    def _kind(self, term: Term) -> str:
        match term:
            case Variable(name):
                return self._known.get(name, "any")
            case Constant(value):
                return "number" if isinstance(value, float) else "string"
        return "number"

    def _is(self, name: str, kind: str, where: OperatorCall | ValueConstraint) -> None:
        known = self._known.get(name, "any")
        if "any" not in (known, kind) and known != kind:
            message = _(
                "?{name} is {known}, and here it would be {kind}.",
                name=name,
                known=KINDS[known],
                kind=KINDS[kind],
            )
            raise error_at(self._text, where.start, where.end, message, expected=(str(KINDS[known]),))
        self._known[name] = known if kind == "any" else kind


def _computed(term: Term) -> Iterator[str]:
    """The variables with which something is computed."""
    if isinstance(term, Arithmetic):
        for operand in (term.left, term.right):
            if isinstance(operand, Variable):
                yield operand.name
            else:
                yield from _computed(operand)
