"""The operators that texts may call, as far as this process knows any.

They are plug-ins of the matchers, which we may not import: whoever has them hands them in when the process
starts, as `matching.apps` does. They are looked up, and so imported, when the first text calls one.
"""

from collections.abc import Callable, Iterator, Mapping

from schema_registry.core.operators import OperatorDeclaration

Source = Callable[[], Mapping[str, OperatorDeclaration]]


class KnownOperators(Mapping[str, OperatorDeclaration]):
    """What the source has at this moment, by name."""

    def __init__(self) -> None:
        self._source: Source = dict

    def come_from(self, source: Source) -> None:
        """From now on, in the whole process."""
        self._source = source

    def __getitem__(self, name: str) -> OperatorDeclaration:
        return self._source()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._source())

    def __len__(self) -> int:
        return len(self._source())


OPERATORS = KnownOperators()
