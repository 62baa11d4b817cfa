"""Scraped feeds in the pure core: a site's mapping, and the judging of rows by it. Knows no framework."""
