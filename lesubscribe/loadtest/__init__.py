"""Load on the running system: what it is loaded with, how it is sent, and what came of it."""
