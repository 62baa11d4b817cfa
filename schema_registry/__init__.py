"""The integrated event schema, the subscription language, and who may change what."""
