"""What must be so before a night is begun, and is told in our words: nothing has been written by then."""

from lesubscribe.nightly.spark import SparkFailedError
from matching.models import SiteMapping
from matching.stored_reasons import MAY_NOT_PUBLISH, NO_DIRECTORY, NOT_LOOKED_INTO
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError
from spark_jobs import places
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
        said = MAY_NOT_PUBLISH(site=mapping.site, publisher=publisher.name, state=state)
        raise PublisherMayNotError(said)


def check_means(source: str) -> None:
    """That there are files, and a Java. Raises NoFilesError, SparkFailedError."""
    try:
        is_there = places.is_directory(source)
    except (OSError, ValueError) as error:  # a store that cannot be reached, a kind of URL that nobody knows
        raise NoFilesError(NOT_LOOKED_INTO(source=source, error=error)) from None
    if not is_there:
        raise NoFilesError(NO_DIRECTORY(source=source))
    try:
        check_java()
    except NoJavaError as missing:
        raise SparkFailedError(str(missing)) from None
