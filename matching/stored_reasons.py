"""Why events were parked, files left out, and why nights failed or were unusual: stored in English, read in
any language.

What Spark or Python itself says of a failure is no sentence of ours, and stays as it is.
"""

from matching.feeds import unfit_files
from schema_registry.core import stored_sentences
from schema_registry.core.stored_sentences import Stored

MATCHING_FAILED = Stored("Matching it failed ({kind}); the worker's log has more.")
NOBODY_SURVIVED = Stored("No worker survived matching it {count} times.")

UNUSUAL_ROWS = Stored("There were {rows:,} rows; usually there are {low:,} to {high:,}.")
UNUSUAL_REJECTS = Stored("{share:.1f}% of the rows were rejected; usually it is {low:.1f}% to {high:.1f}%.")
STOPPED = Stored("It was stopped.")
CUT_OFF = Stored("It was begun {count} times, and cut off each time.")
NO_DIRECTORY = Stored("There is no directory {source}: nothing was laid down there for this day.")
NOT_LOOKED_INTO = Stored("{source} cannot be looked into: {error}")
NO_MANIFEST = Stored("Spark left no manifest in {directory}.")
NOT_LOADED = Stored(
    "What Spark left in {directory} cannot be loaded ({error}). Run it again, and it is computed anew."
)
OTHERS_PUBLISH = Stored("Others publish {item!r} all the time; run it again.")
MAY_NOT_PUBLISH = Stored(
    "The publisher of the site {site!r}, {publisher}, is {state}: nothing is published.", words={"state"}
)
_ALL = (
    *(MATCHING_FAILED, NOBODY_SURVIVED),
    *(UNUSUAL_ROWS, UNUSUAL_REJECTS, STOPPED, CUT_OFF, NO_DIRECTORY, NOT_LOOKED_INTO),
    *(NO_MANIFEST, NOT_LOADED, OTHERS_PUBLISH, MAY_NOT_PUBLISH),
    *unfit_files.ALL,
)


def again(said: str) -> str:
    """In the language of who reads it. Some microseconds."""
    return stored_sentences.again(said, _ALL)
