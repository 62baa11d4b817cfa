"""Real receivers: a web server and a mail server that write down every receipt before they answer.

They run in threads of the test, or as processes of their own: `python -m tests.sinks http --port N --file F`.
What they got and how they are to behave is in files, so both ways are used alike.
"""

from tests.sinks.http import Behaviour, HttpReceipt, HttpSink
from tests.sinks.smtp import Pace, SmtpReceipt, SmtpSink

__all__ = ["Behaviour", "HttpReceipt", "HttpSink", "Pace", "SmtpReceipt", "SmtpSink"]
