"""A partial order drawn as lines, each rising from left to right: XVI < XVII < XVIII.

Only steps with nothing between them are drawn. A line goes up as far as it meets steps that are not yet
drawn, and begins and ends at values that other lines may have too; so every step stands in one line.
"""

from collections import defaultdict

from schema_registry.core.domains import EnumeratedDomain


def chains(domain: EnumeratedDomain) -> list[list[str]]:
    """The lines, those from the lowest values first. O(pairs * values / 64)."""
    steps = _direct_steps(domain)
    places = {value: number for number, value in enumerate(domain.members)}
    counts = {value: domain.order.bits_below(value).bit_count() for value in steps}
    lowest_first = sorted(steps, key=lambda value: (counts[value], places[value]))
    drawn = []
    for start in lowest_first:
        while steps[start]:
            line = [start]
            while steps.get(line[-1]):
                line.append(steps[line[-1]].pop(0))
            drawn.append(line)
    return drawn


def unordered(domain: EnumeratedDomain) -> list[str]:
    """The values that are neither above nor below any other. O(values)."""
    return [value for value in domain.members if value not in domain.order.index]


def _direct_steps(domain: EnumeratedDomain) -> dict[str, list[str]]:
    steps: dict[str, list[str]] = defaultdict(list)
    order = domain.order
    for low, high in domain.pairs or ():
        if not order.bits_above(low) & order.bits_below(high):
            steps[low].append(high)
    return steps
