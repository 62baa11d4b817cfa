"""How scraped feed files become rows."""
