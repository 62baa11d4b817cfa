"""One module per channel kind."""
