"""The operators that come with us, each with its data on this machine: none asks anybody over the network.

A value that an operator does not understand, such as a place that is in no table, has no result; it is not a
failure. Otherwise whoever publishes such values could have the operator disabled for all. For the same reason
only the first values of an attribute count: all combinations are far fewer rows than a result may have.
"""

MOST_VALUES = 20
