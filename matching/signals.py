"""What this app tells those above, which it does not know."""

from django.dispatch import Signal

# Sent after a commit that may have left announcements. It says only "look": they are in the database.
matched = Signal()
