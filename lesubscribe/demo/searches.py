"""What people of the demo look for: every construct of the language, useful, noisy and hopeless searches."""

from dataclasses import dataclass

from matching.models import Subscription

State = Subscription.State
ENDLESS = None
LONG = 90  # days from the beginning of the month, so none of these expires soon


@dataclass(frozen=True, slots=True)
class Search:
    """`valid_days` count from the beginning of the month. A hopeless one asks for what nobody sells."""

    name: str
    text: str
    state: Subscription.State = State.ACTIVE
    valid_days: int | None = LONG
    is_hopeless: bool = False


SEARCHES = (
    # A kind of thing, up to a price.
    Search("Dining tables under 200 EUR", "category <= dining-table and price <= 200", valid_days=32),
    Search("Any table in oak", "category <= tables and material contains oak"),
    Search("Armchairs, 100 to 300 EUR", "category = armchair and price between 100 and 300"),
    Search("Case furniture over 1,500 EUR", "category < case-furniture and price > 1500", valid_days=ENDLESS),
    Search("Mirrors up to 150 cm", "category = mirror and width <= 150 and height <= 150"),
    Search("Teak", "material = teak", valid_days=ENDLESS),
    # Periods and conditions have an order.
    Search(
        "Antique tables before the Empire",
        "event_type contains antiques and category <= tables and period < empire",
    ),
    Search("Anything art nouveau, at least good", "period = art-nouveau and condition >= good"),
    Search("From Biedermeier to art deco", "period between biedermeier and art-deco", State.MUTED),
    Search("Clocks for the workshop", "category <= clocks and not condition >= good"),
    Search("Coins, excellent or better", "category <= coins and condition >= excellent", valid_days=ENDLESS),
    # Places are a tree too.
    Search("Everything in Lyon", "location = lyon", State.PAUSED),
    Search("Bargains in Belgium", "location <= belgium and price < 60"),
    Search(
        "Silver in Bavaria or Vienna",
        "event_type contains silver and (location < bavaria or location = vienna)",
    ),
    Search("Art, but not in France", "category <= painting and not location <= france", valid_days=21),
    # Words of the title.
    Search("Aurelle in gold", "title contains 'aurelle gold'", valid_days=ENDLESS),
    Search("Delft, but no tiles", "title contains delft and not category = tile"),
    Search("Blue and white", "category <= ceramics and title contains 'blue white'"),
    Search("Ships and harbours", "title contains ships or title contains harbour"),
    Search("Pairs of candlesticks", "category = candlesticks and title contains pair"),
    Search("Violins and cellos from Mirecourt", "category <= strings and title contains mirecourt"),
    # Several values at once.
    Search("Walnut and oak together", "material contains walnut and material contains oak"),
    Search("Gold, but no diamonds", "material contains gold and not material contains diamond"),
    Search("French and German in one book", "language contains french and language contains german"),
    Search("Violins and bows", "category in (violin, bow)"),
    Search(
        "Flemish or Dutch still lifes",
        "category = still-life and (title contains flemish or title contains dutch)",
    ),
    # Years, numbers, what is there and what is not.
    Search("Chronographs from 1955 to 1975", "category = chronograph and year between 1955 and 1975"),
    Search(
        "Automatic watches up to 600 EUR", "category <= watches and movement = automatic and price <= 600"
    ),
    Search("Red wine before 1990", "category <= red-wine and year < 1990", valid_days=14),
    Search("Wine by the dozen", "event_type contains wine and bottles >= 12"),
    Search("Heavy silver", "category <= silver and weight > 1000", State.PAUSED),
    Search("Before 1700", "year > 1400 and year < 1700", valid_days=ENDLESS),
    Search("Large landscapes", "category = landscape and (width >= 150 or height >= 120)"),
    Search("Over 4,000 EUR without an estimate", "price > 4000 and not estimate exists"),
    Search("Now below its estimate", "estimate > 1000 and price < 1000"),
    Search("From Brocante du Pont", "seller = 'Brocante du Pont'", State.MUTED),
    Search(
        "Walnut or cherry, not restored",
        "material in (walnut, cherry) and condition != restored and price <= 500",
    ),
    # Rightly asked, and never found.
    Search("A Gothic harpsichord", "category = harpsichord and period = medieval", is_hopeless=True),
    Search(
        "Champagne for 2 EUR", "category = champagne and price <= 2", valid_days=ENDLESS, is_hopeless=True
    ),
    Search("Meteorites", "title contains meteorite", is_hopeless=True),
)

NEIGHBOUR_SEARCHES = (
    Search("Watches", "category <= watches and price < 800", valid_days=ENDLESS),
    Search("Maps and atlases", "category in (map, atlas)"),
    Search("Porcelain figures", "category = porcelain-figure and not condition = damaged"),
    Search("Everything in Paris", "location = paris", State.MUTED),
)
