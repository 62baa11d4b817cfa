"""What must be so before a night is begun, and is told in our words: nothing has been written by then."""

from pathlib import Path

from lesubscribe.nightly.spark import SparkFailedError
from matching.models import SiteMapping
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError
from spark_jobs.java import NoJavaError, check_java


class NoFilesError(InputError):
    """A day of which nothing was laid down."""

    code = "no_files"


class PublisherMayNotError(InputError):
    """The site's publisher is not approved, or no longer."""

    code = "publisher_may_not"


def check_publisher(mapping: SiteMapping) -> None:
    """As it is now in the database. Raises PublisherMayNotError."""
    publisher = Publisher.objects.get(pk=mapping.publisher_id)
    if publisher.state != Publisher.State.APPROVED:
        state = publisher.get_state_display()
        raise PublisherMayNotError(
            f"The publisher of the site {mapping.site!r}, {publisher.name}, is {state}: nothing is published."
        )


def check_means(source: Path) -> None:
    """That there are files, and a Java. Raises NoFilesError, SparkFailedError."""
    if not source.is_dir():
        raise NoFilesError(f"There is no directory {source}: nothing was laid down there for this day.")
    try:
        check_java()
    except NoJavaError as missing:
        raise SparkFailedError(str(missing)) from None
