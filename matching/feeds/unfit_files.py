"""Why a file of a feed is left out whole, as the pre-flight says: stored in English, read in any language."""

from schema_registry.core.stored_sentences import Stored

GONE = Stored("It was there when the files were listed, and is missing now.")
UNREADABLE = Stored("It cannot be read ({error}).")
CONTRADICTS = Stored("It contradicts its manifest: {name} should be {listed} and is {found}.")
LONG_LINE = Stored("It has a line of more than {most:,} bytes.")
LONG_VALUE = Stored("It has a value of more than {most:,} bytes.")
LARGE = Stored("It unpacks to more than {ratio:g} times its size and {most:,} bytes.")
MANY_COLUMNS = Stored("It has {count:,} columns; at most {most:,} are taken.")

CUT_JSON = Stored("It is cut: its last line has no end and is not whole JSON.")
CUT_CSV = Stored("It is cut: its last line has no end and fewer columns than the header.")
CUT_GZIP = Stored("It is cut: the end of its gzip stream is missing.")
CUT_PARQUET = Stored("It is cut: it has no Parquet footer, or a damaged one.")
DAMAGED_GZIP = Stored("It is damaged: it is no gzip file, or not from beginning to end.")
DAMAGED = Stored("It is damaged: {error}")

NO_HEADER = Stored("It is empty: not even a header is there.")
RETURN_IN_HEADER = Stored("Its header has a carriage return inside; lines must end in a newline.")
ODD_HEADER = Stored("Its header cannot be taken apart ({error}).")
SAME_NAMES = Stored("Several of its columns have the name {name}.")
ODD_COLUMN = Stored("Spark does not read its column {name}, which is {stored}.")

MISSING = Stored("The manifest lists it, and it is missing.")
NOT_LISTED = Stored("The manifest does not list it.")
OTHER_KIND = Stored("Its name ends in none of .jsonl, .csv and .parquet, nor in these with .gz.")
PARQUET_IN_GZIP = Stored("A Parquet file is compressed inside, and Spark cannot read it in a gzip file.")
LARGE_MANIFEST = Stored("{name} has more than {most:,} bytes.")
ODD_MANIFEST = Stored("{name} cannot be understood ({error}).")

# What is said in few words of ours comes last: it would take the others for its own.
ALL = (
    *(GONE, UNREADABLE, CONTRADICTS, LONG_LINE, LONG_VALUE, LARGE, MANY_COLUMNS),
    *(CUT_JSON, CUT_CSV, CUT_GZIP, CUT_PARQUET, DAMAGED_GZIP, DAMAGED),
    *(NO_HEADER, RETURN_IN_HEADER, ODD_HEADER, SAME_NAMES, ODD_COLUMN),
    *(MISSING, NOT_LISTED, OTHER_KIND, PARQUET_IN_GZIP, LARGE_MANIFEST, ODD_MANIFEST),
)
