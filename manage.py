#!/usr/bin/env python
"""Django's command line for Le Subscribe."""

import os
import sys


def main() -> None:
    os.umask(0o077)  # what we keep, the database for one, is for nobody else to read
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Cannot start: {error}")


if __name__ == "__main__":
    main()
