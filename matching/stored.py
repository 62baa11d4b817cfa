"""Conjunctions as JSON, so that a stored subscription is matched again without parsing its text.

Reading this takes a tenth of the time of parsing, which matters to a worker that starts with a million.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from matching.operators import documents as operator_documents
from schema_registry.core.operators import NO_OPERATORS
from schema_registry.core.predicates import Conjunction, Predicate
from schema_registry.core.schema import Schema

Compiled = list[Any]
"""A conjunction is the list of its predicates; one with operators a dict of `predicates` and `operators`."""


@dataclass(frozen=True, slots=True)
class StoredSubscription:
    """What a matcher needs of a subscription."""

    conjunctions: tuple[Conjunction, ...]
    schema: Schema


def compiled(conjunctions: Iterable[Conjunction]) -> Compiled:
    """The conjunctions as lists of [attribute, operator, values, negated], with their operators."""
    return [_document(conjunction) for conjunction in conjunctions]


def restored(document: Compiled, schema: Schema) -> StoredSubscription:
    """The subscription that `compiled` wrote, under the schema version it was written with or a later one."""
    return StoredSubscription(tuple(_conjunction(each) for each in document), schema)


def predicates_of(document: Any) -> list[Any]:
    """The plain predicates of one conjunction, as `compiled` wrote it."""
    found: list[Any] = document["predicates"] if isinstance(document, dict) else document
    return found


def attributes_read_by_operators(document: Any) -> set[str]:
    """Those that the calls of one conjunction read, as `compiled` wrote it."""
    if not isinstance(document, dict):
        return set()
    part = operator_documents.part_of(document["operators"])
    return {attribute for call in part.calls for attribute in call.attributes}


def _document(conjunction: Conjunction) -> Any:
    predicates = [
        [each.attribute, each.operator, list(each.values), each.negated] for each in conjunction.predicates
    ]
    if not conjunction.operators:
        return predicates
    return {"predicates": predicates, "operators": operator_documents.document_of(conjunction.operators)}


def _conjunction(document: Any) -> Conjunction:
    if isinstance(document, dict):
        predicates, operators = document["predicates"], operator_documents.part_of(document["operators"])
    else:
        predicates, operators = document, NO_OPERATORS
    return Conjunction.of(
        (
            Predicate(attribute, operator, tuple(values), negated)
            for attribute, operator, values, negated in predicates
        ),
        operators,
    )
