"""`python -m tests.sinks http|smtp --port N --file F`: a sink as a process of its own, until it is ended."""

import argparse
import signal
from pathlib import Path

from tests.sinks import HttpSink, SmtpSink

SINKS: dict[str, type[HttpSink] | type[SmtpSink]] = {"http": HttpSink, "smtp": SmtpSink}


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.sinks")
    parser.add_argument("kind", choices=SINKS)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--file", type=Path, required=True)
    arguments = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    with SINKS[arguments.kind](arguments.file, port=arguments.port):
        signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    main()
