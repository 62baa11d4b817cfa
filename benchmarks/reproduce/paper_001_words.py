"""What we say to the figures of paper 001: where our numbers differ from the paper's, and why."""

from benchmarks.reproduce.figure import Row, Rows

LEGEND = """\
*Sub-Order, by pairs* has the order of the paper's section 4.2.5; *Sub-Order* is the order we use,
[by gain](../algorithms.md#expensive-operators). The *yardstick* is a greedy that knows every truth value in
advance. The *floor* holds for any algorithm and any event: so many predicates are needed to meet every
subscription, by a dual solution of the linear program.

"""


def counts(row: Row) -> str:
    return (
        f"naive {row['naive']:,.0f}, Sequential {row['sequential']:,.0f}, Sub-Order {row['suborder']:,.0f}"
        f" (by pairs {row['pairwise']:,.0f})"
    )


def figure_4(rows: Rows) -> str:
    row = rows.one(subscriptions=80_000)
    return f"""{LEGEND}\
**7,761 and 7,037 evaluations are not possible with subscriptions drawn as the paper says.** An algorithm must
evaluate at least one predicate of every subscription. Here a predicate is in 8 subscriptions on average, the
most popular ones in about twice as many, and they overlap: at least {row["floor"]:,.0f} predicates are needed
to meet all 80,000 subscriptions, whatever is true of the event and whatever the algorithm. Even the
yardstick, which sees all truth values, evaluates {row["yardstick"]:,.0f}. So no assumption about events
closes the gap, only one about subscriptions: popularity must be a good deal less even than weights uniform in
[0, 1] make it. [001-numbers](001-numbers.md) tries some.

**Naive's 35,000** is not in the paper's words: it follows from "almost 80%". Naive always evaluates the first
predicate of every subscription, and here {row["naive"]:,.0f} predicates in all; more if predicates are true
more often, about which the paper says nothing.

**Sub-Order by pairs** is what the paper describes. Its nodes are in the order of selectivity alone, so a
chain begins with a predicate that is rarely true even if hardly any other chain has it. Ordering nodes and
chains by gain takes {1 - row["suborder"] / row["pairwise"]:.0%} less."""


def figure_5(rows: Rows) -> str:
    return f"""{LEGEND}\
The paper has no numbers for this figure. A few predicates are in most subscriptions here, and whether those
are true of an event decides much, so counts vary more from event to event than with uniform popularity.

By pairs, Sub-Order is not better than Sequential everywhere: Sequential goes on to evaluate the popular
predicates of a subscription that is decided already, which pays here, while chains ordered by selectivity
begin with rare predicates. The order by gain knows about popularity."""


def figure_6(rows: Rows) -> str:
    row = rows.one(predicates=30_000)
    return f"""{LEGEND}\
**Naive cannot have evaluated 16,251 predicates with Zipf popularity.** 20,000 subscriptions of 3 to 5
predicates drawn from 30,000 with weights 1/rank use only {row["used_predicates"]:,} different ones, and naive
evaluates {row["naive"]:,.0f} of them. The paper's number fits uniform popularity
([001-numbers](001-numbers.md)).

**Sub-Order's 1,977** is near what the order of the paper gives here, {row["pairwise"]:,.0f}; the order by
gain takes {row["suborder"]:,.0f}. **Sequential's 3,267** depends on which undecided subscription is picked
"arbitrarily", and in which order its predicates are taken; here subscriptions are taken as they came, and
their predicates in random order: {row["sequential"]:,.0f}."""


def figure_7(rows: Rows) -> str:
    return f"""{LEGEND}\
**Sequential gets better here with the length**: a longer subscription has more of the popular predicates, and
one that fails is enough. What works against it is that for longer subscriptions to match 0.2% of the events
all the same, predicates must be true more often; selectivities are fitted to that rate for each length. It is
not known how the paper did this.

**Naive** would evaluate almost all predicates only if they were true much more often than 0.2% allows, as
long as they are independent of each other."""


def figure_8(rows: Rows) -> str:
    return f"""{LEGEND}\
The paper has no numbers here; the cross is the first point of its figure 7, which has the same parameters.
Naive falls with a greater exponent as well, since fewer different predicates are in use."""


def numbers(rows: Rows) -> str:
    large, large_places = _even(rows, 80_000)
    small, small_places = _even(rows, 20_000)
    uneven = rows.one(subscriptions=80_000, zipf=0.9)
    zipf = rows.one(subscriptions=20_000, zipf=1.0, events="spread")
    return f"""{LEGEND}\
The paper leaves open how an event comes to match 0.2% of the subscriptions. *spread*: a predicate is true
with probability u^g, u uniform in (0, 1), g fitted to the rate. *equal*: all have the same probability.
*chosen*: 0.2% of the subscriptions are drawn, their predicates are true and no others; with popular
predicates more subscriptions match by that than were drawn.

**Events are not the reason.** The floor of {large["floor"]:,.0f} at the large size holds for all events, and
at the small size no event makes naive evaluate more than the {zipf["used_predicates"]:,} predicates in use.

**Popularity alone is not either.** Sequential and Sub-Order come near to the paper's numbers for 80,000
subscriptions with Zipf and an exponent of about 0.9 ({counts(uneven)}), but then naive does too little.
Naive's numbers are nearest with uniform popularity at both sizes ({large["naive"]:,.0f} and
{small["naive"]:,.0f}), but then nobody can go below the floors, {large["floor"]:,.0f} and
{small["floor"]:,.0f}.

**Structure comes nearer**: subscriptions that are alike in one way and differ in others. If one predicate of
each is a place, out of few, as in the paper's own examples (`locIn(Bronx)`), and the others are uniform,
naive hardly does less, and the others do much less. With 2,000 places at the large size:
{counts(large_places)}. With 500 at the small one: {counts(small_places)}. Without: {counts(large)};
{counts(small)}. It is not all the way: the paper does not say enough to go on."""


def _even(rows: Rows, subscriptions: int) -> tuple[Row, Row]:
    """The case of uniform popularity, and that with places."""
    even = rows.where(subscriptions=subscriptions, zipf=None, events="spread")
    plain = next((row for row in even if "places" not in row), None)
    with_places = next((row for row in even if "places" in row), None)
    if plain is None or with_places is None:
        raise LookupError("not measured")
    return plain, with_places
