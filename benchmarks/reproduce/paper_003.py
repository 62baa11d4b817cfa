"""Paper 003 (Ashayer, Leung and Jacobsen, ToPSS), section 5: its figures 2 to 4 and tables 1 and 2."""

from benchmarks.reproduce.paper_003_predicates import PREDICATES
from benchmarks.reproduce.paper_003_subscriptions import SUBSCRIPTIONS

FIGURES = (*PREDICATES, *SUBSCRIPTIONS)
