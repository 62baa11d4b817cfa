"""As browsers write them too, so that what a script says and what a page says agree."""

DATETIME_FORMAT = "j F Y, H:i"
THOUSAND_SEPARATOR = "\N{NARROW NO-BREAK SPACE}"
