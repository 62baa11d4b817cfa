"""What a conjunction says by operators as JSON, so that it is stored, and read back without parsing.

Values are wrapped by what they are: {"is": 5.0}, {"of": "price"}, {"?": "km"}, {"*": [left, right]}.
"""

from typing import Any

from schema_registry.core.operators import (
    Arithmetic,
    CallArgument,
    Constant,
    OfAttribute,
    OperatorCall,
    OperatorPart,
    Term,
    ValueConstraint,
    Variable,
)

Document = dict[str, Any]


def document_of(part: OperatorPart) -> Document:
    return {
        "calls": [
            [call.operator, [_written(each) for each in call.arguments], call.negated] for call in part.calls
        ],
        "constraints": [
            [_written(each.left), each.comparator, _written(each.right)] for each in part.constraints
        ],
    }


def part_of(document: Document) -> OperatorPart:
    """What `document_of` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    return OperatorPart(
        tuple(
            OperatorCall(operator, tuple(_argument(each) for each in arguments), negated)
            for operator, arguments, negated in document["calls"]
        ),
        tuple(
            ValueConstraint(_term(left), comparator, _term(right))
            for left, comparator, right in document["constraints"]
        ),
    )


def _written(value: CallArgument | Term) -> Document:
    match value:
        case Constant(constant):
            return {"is": constant}
        case OfAttribute(attribute):
            return {"of": attribute}
        case Variable(name):
            return {"?": name}
        case Arithmetic(operator, left, right):
            return {operator: [_written(left), _written(right)]}


def _argument(document: Document) -> CallArgument:
    ((kind, content),) = document.items()
    if kind == "of":
        return OfAttribute(content)
    return Variable(content) if kind == "?" else Constant(content)


def _term(document: Document) -> Term:
    ((kind, content),) = document.items()
    match kind:
        case "is":
            return Constant(content)
        case "?":
            return Variable(content)
    left, right = content
    return Arithmetic(kind, _term(left), _term(right))
