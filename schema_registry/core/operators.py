"""Expensive operators: what is declared of one, and what a subscription says with it.

Paper 001, section 2. A call, `distance(location, 'Lyon', ?km)`, takes attributes and constants, and binds
variables to results; value constraints, `?km < 50`, speak of the variables. Two calls are the same predicate
when they differ only by renaming variables one to one, so `OperatorCall.predicate` numbers them.

The code behind a declaration is a plug-in of the matchers, which hand its `function` over; only the oracle
calls it here, and plainly.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from schema_registry.core.domains import Value

ArgumentType = Literal["number", "string", "any"]
CheckConstant = Callable[[str, Value], str | tuple[str, str | None] | None]


@dataclass(frozen=True, slots=True)
class Argument:
    """One place of an operator.

    `type` is what a constant, an attribute's domain or a result there must be. A result's place takes a
    variable, any other an attribute or a constant.
    """

    name: str
    type: ArgumentType
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class OperatorDeclaration:
    """The name by which subscriptions call an operator, its arguments in order, and what is expected of it.

    `cost` is the expected time of one evaluation, `time_limit` the longest that is waited for it, both in
    seconds. `function` gets what stands in the places that are no results: a constant as it is, an
    attribute as the tuple of all its values (the strings of a text attribute). It returns False, or True,
    or rows: one tuple for each way to fill the results, in order; no row at all is False.

    An isolated one is evaluated in a process of its own, which is killed at the time limit; one that is not
    is trusted to be quick and to return. `prepare` is called once before the first evaluation, where that
    takes place, and its time is not the evaluation's. `check_constant` is told the name of an argument and a
    constant for it, and answers with a sentence if no event could ever make a call with it true, or with the
    sentence and what was probably meant.

    `label` is what people call it in a list, if not by its name. `sentence` says what a call with one result
    asks, or found, with its arguments by name: "{location} {km} km from {place}", where {km} becomes
    "at most 50", or "12".
    """

    name: str
    arguments: tuple[Argument, ...]
    cost: float = 0.001
    time_limit: float = 1.0
    description: str = ""
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    isolated: bool = True
    prepare: Callable[[], object] | None = field(default=None, compare=False, repr=False)
    check_constant: CheckConstant | None = field(default=None, compare=False, repr=False)
    sentence: str = ""
    label: str = ""

    @property
    def results(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_result)

    @property
    def signature(self) -> str:
        """How it is called: `distance(location, place, ?km)`."""
        places = (f"?{each.name}" if each.is_result else each.name for each in self.arguments)
        return f"{self.name}({', '.join(places)})"


@dataclass(frozen=True, slots=True)
class Constant:
    value: Value


@dataclass(frozen=True, slots=True)
class OfAttribute:
    """The whole value set that an event has of this attribute."""

    attribute: str


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


CallArgument: TypeAlias = Constant | OfAttribute | Variable


@dataclass(frozen=True, slots=True)
class OperatorPredicate:
    """What is evaluated, at most once for an event: a call without the names of its variables.

    They are numbered from 0 by their first occurrence, so `p(?x, ?y)` is `p(?a, ?b)` but not `p(?x, ?x)`.
    """

    operator: str
    arguments: tuple[Constant | OfAttribute | int, ...]


@dataclass(frozen=True, slots=True)
class OperatorCall:
    """A call as one subscription makes it; a negated one binds no variables.

    `start` and `end` say where in the source it stands, and do not count in comparisons.
    """

    operator: str
    arguments: tuple[CallArgument, ...]
    negated: bool = False
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of its variables, each once, in the order of the values that a binding has."""
        return tuple(dict.fromkeys(each.name for each in self.arguments if isinstance(each, Variable)))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes that it reads, in order; an event without one of them fails it."""
        return tuple(each.attribute for each in self.arguments if isinstance(each, OfAttribute))

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The order of calls in conjunctions and canonical texts."""
        return self.operator, tuple(_argument_key(each) for each in self.arguments), self.negated

    @property
    def predicate(self) -> OperatorPredicate:
        """Itself up to the names of its variables, and to whether it is negated."""
        number = {name: position for position, name in enumerate(self.variables)}
        arguments = (number[each.name] if isinstance(each, Variable) else each for each in self.arguments)
        return OperatorPredicate(self.operator, tuple(arguments))


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left` and `right` combined by one of `+ - * /`."""

    operator: str
    left: "Term"
    right: "Term"


Term: TypeAlias = Constant | Variable | Arithmetic


@dataclass(frozen=True, slots=True)
class ValueConstraint:
    """A comparison of what variables are bound to: `?y > 2*?z`. Never negated: the comparator is turned."""

    left: Term
    comparator: str
    right: Term
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(_variables(self.left)) | frozenset(_variables(self.right))

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The order of constraints in conjunctions and canonical texts."""
        return term_key(self.left), self.comparator, term_key(self.right)


@dataclass(frozen=True, slots=True)
class OperatorPart:
    """What a conjunction says by operators, beside its plain predicates: each call and constraint once.

    It holds for an event when every negated call is false, every other one is true, and one joint binding
    of all variables satisfies every constraint.
    """

    calls: tuple[OperatorCall, ...] = ()
    constraints: tuple[ValueConstraint, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.calls)


NO_OPERATORS = OperatorPart()
Binding = Mapping[str, Value]


def name_key(name: str) -> tuple[int, str]:
    """The order of names of variables: ?x2 before ?x10."""
    return len(name), name


def term_key(term: Term) -> tuple[Any, ...]:
    """The order of terms: what is computed, then constants, then variables."""
    if isinstance(term, Arithmetic):
        return 0, term.operator, term_key(term.left), term_key(term.right)
    return _argument_key(term)


def _argument_key(argument: CallArgument) -> tuple[Any, ...]:
    match argument:
        case Constant(value):
            return (1 if isinstance(value, float) else 2), value
        case OfAttribute(attribute):
            return 3, attribute
    return 4, name_key(argument.name)


def _variables(term: Term) -> Iterator[str]:
    match term:
        case Variable(name):
            yield name
        case Arithmetic(_, left, right):
            yield from _variables(left)
            yield from _variables(right)
