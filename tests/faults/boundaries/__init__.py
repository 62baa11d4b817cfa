"""Every commit boundary of the service, and the steps in which a process is killed there.

A step is a generator: what it finds when it begins, then what is done, killed and done again, and after that
what must be so as if nobody had died. Its name is that of its failpoints before the dot, which are read from
the sources: a new one without a step fails, and so does one that its step never reaches.
"""
