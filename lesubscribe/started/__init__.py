"""The last of the apps: when it is ready, all are.

Importing leaves no garbage behind, and the collector would look through all of it a few times: a quarter of
the processor time in which a process starts. So it rests from the settings until here, and what was imported
by then it leaves alone for good.
"""
