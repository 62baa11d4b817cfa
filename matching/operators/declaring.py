"""Declaring an operator: a function under a line that shows how subscriptions call it.

    @operator("distance(location: string, place: string, ?km: number)", cost=0.00001)
    def distance(locations, place):
        '''How far the item is from a place.'''
        return [(kilometres(location, place),) for location in locations]

What has a question mark is a result. The function gets the other places, in order; see `OperatorDeclaration`
for what it gets there and what it returns.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any, cast, get_args

from schema_registry.core.domains import Value
from schema_registry.core.operators import Argument, ArgumentType, CheckConstant, OperatorDeclaration

TYPES: tuple[str, ...] = get_args(ArgumentType)
_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.ASCII | re.DOTALL)
_ARGUMENT = re.compile(r"\s*(\??)\s*([A-Za-z_]\w*)\s*:\s*(\w+)\s*", re.ASCII)


def operator(
    signature: str,
    *,
    cost: float = 0.001,
    time_limit: float = 1.0,
    isolated: bool = True,
    description: str = "",
    prepare: Callable[[], object] | None = None,
    check_constant: CheckConstant | None = None,
    sentence: str = "",
    label: str = "",
) -> Callable[[Callable[..., Any]], OperatorDeclaration]:
    """Makes a declaration of the function below, described by its docstring's first line if not otherwise.

    Raises ValueError when the signature cannot be read, or the function does not take what it names.
    """
    name, arguments = _read(signature)

    def declare(function: Callable[..., Any]) -> OperatorDeclaration:
        _check_parameters(function, signature, arguments)
        return OperatorDeclaration(
            name=name,
            arguments=arguments,
            cost=cost,
            time_limit=time_limit,
            description=description or (inspect.getdoc(function) or "").partition("\n")[0],
            function=function,
            isolated=isolated,
            prepare=prepare,
            check_constant=check_constant,
            sentence=sentence,
            label=label,
        )

    return declare


def each(given: Value | tuple[Value, ...], most: int | None = None) -> tuple[Value, ...]:
    """A constant, or the first `most` values of an attribute, as a tuple."""
    return given[:most] if isinstance(given, tuple) else (given,)


def _read(signature: str) -> tuple[str, tuple[Argument, ...]]:
    call = _CALL.fullmatch(signature)
    if call is None:
        raise ValueError(f"{signature!r} is not of the form 'name(argument: type, ?result: type)'.")
    arguments = tuple(_argument(part, signature) for part in call[2].split(",") if call[2].strip())
    if len({argument.name for argument in arguments}) < len(arguments):
        raise ValueError(f"{signature!r} names an argument twice.")
    return call[1], arguments


def _argument(part: str, signature: str) -> Argument:
    written = _ARGUMENT.fullmatch(part)
    if written is None or written[3] not in TYPES:
        types = ", ".join(TYPES)
        raise ValueError(
            f"{part.strip()!r} in {signature!r} is not 'name: type' with one of the types {types}."
        )
    return Argument(written[2], cast(ArgumentType, written[3]), is_result=bool(written[1]))


def _check_parameters(function: Callable[..., Any], signature: str, arguments: tuple[Argument, ...]) -> None:
    given = [argument.name for argument in arguments if not argument.is_result]
    try:
        inspect.signature(function).bind(*given)
    except TypeError as error:
        message = (
            f"{signature!r} hands {len(given)} values to its function, which does not take them: {error}."
        )
        raise ValueError(message) from None
