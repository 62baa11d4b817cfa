"""The publisher's console: keys, and what a publisher adds to the schema. The rest is in matching."""
