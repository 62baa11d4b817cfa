"""Demand: what people look for most, told to publishers without telling of anybody.

Everything is counted in people. Each person's searches become one set of *cells*, a category, a word, or a
range of prices within a category, so that a thousand searches of somebody weigh as much as one.

    wishes       what a person's searches ask for, read from their compiled conjunctions
    price_steps  the fixed ranges that numbers are told in
    tally        how many people each cell has
    threshold    which of these numbers may be told, and how coarsely
    publication  what a page may show: the only thing that is stored
    keeping      counting in slices, and when a new publication takes the place of the last

docs/decisions.md has the reasons.
"""
