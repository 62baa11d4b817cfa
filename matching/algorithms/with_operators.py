"""`operators-naive`, `operators-sequential`, `operators-suborder`: the strategies of paper 001 as matchers.

Every matcher evaluates expensive operators last, and Sub-Order decides in what order. These three differ by
the strategy alone; plain predicates are matched by quarantining. See `matching.operators`.
"""

from matching.algorithms.quarantining import QuarantiningMatcher
from matching.operators.naive import Naive
from matching.operators.sequential import Sequential
from matching.operators.suborder import SubOrder


class OperatorsNaive(QuarantiningMatcher):
    strategy = Naive


class OperatorsSequential(QuarantiningMatcher):
    strategy = Sequential


class OperatorsSubOrder(QuarantiningMatcher):
    strategy = SubOrder
