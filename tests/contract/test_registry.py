import pytest

from matching import registry
from schema_registry.core.schema import Schema


def test_an_unknown_matcher_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(LookupError, match="There is no matcher 'magic'; there are naive,"):
        registry.create("magic", Schema.from_dict({}))
