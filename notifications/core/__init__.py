"""What to send, to whom and when, decided without a framework. Pure."""
