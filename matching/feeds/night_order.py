"""Where a night stands among the nights of its site: what it says of known items depends on it.

A feed is what the site showed on its day. So what an older one says of an item that is known already is out
of date, though it comes now.
"""

from enum import StrEnum


class Order(StrEnum):
    """The night is AFTER all that may have been loaded, the SAME as the newest of them, or BEFORE it.

    After them, other content than that of an item's newest revision is the next one, also content that an
    older revision had, as live. The same day, done again, knows what it said: content of any revision is a
    repeat. Before them, a night adds the items that nobody knows, and nothing else.
    """

    AFTER = "after"
    SAME = "same"
    BEFORE = "before"
