#!/usr/bin/env python
"""Django's command line for Le Subscribe."""

import os
import sys


def main() -> None:
    os.umask(0o077)  # what we keep, the database for one, is for nobody else to read
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Cannot start: {error}")
    except DatabaseError as error:
        if "--traceback" in sys.argv:
            raise
        reason = str(error).strip().partition("\n")[0]
        sys.exit(
            f"The database cannot be used: {reason}\n"
            "Was it prepared by `make up`, with the same VAR and DATABASE_URL? (--traceback shows more.)"
        )


if __name__ == "__main__":
    main()
