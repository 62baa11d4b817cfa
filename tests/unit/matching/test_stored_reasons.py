"""Every reason that is stored can be read in French, with its values."""

from string import Formatter

import pytest
from django.utils import translation

from matching import stored_reasons
from matching.feeds import unfit_files
from schema_registry.core.stored_sentences import Stored

ALL = {
    name: each
    for module in (stored_reasons, unfit_files)
    for name, each in vars(module).items()
    if isinstance(each, Stored)
}


@pytest.mark.parametrize("name", ALL)
def test_a_stored_reason_is_read_in_french(name: str) -> None:
    message = ALL[name].message
    values = {field: 7 for _text, field, _form, _how in Formatter().parse(message) if field}
    said = ALL[name](**values)
    assert stored_reasons.again(said) == said
    with translation.override("fr"):
        read = stored_reasons.again(said)
        assert (read != said, read.count("7")) == (True, said.count("7"))


def test_what_a_library_said_stays_as_it_is() -> None:
    with translation.override("fr"):
        said = "Spark ended with code 1 before it was done; its log is /runs/7/log.\nOutOfMemoryError"
        assert stored_reasons.again(said) == said
