"""The operations page: what is wrong, on top; then how things stand, and what staff can do about it.

`looking` and `lists` read, `trouble` judges, `sampling` writes a row a minute for the plots, and `asking` has
the pages on which something is done: the questions of the administration, with its services and its log.
"""
