"""A publisher's traffic: what is taken and how soon it is matched, what is refused and why."""
