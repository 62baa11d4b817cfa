"""The pages that are measured: address, and what is sent. Add yours here; see also `administration`.

`{search}`, `{event}`, `{delivery}` ... stand for something that is there, see `measuring`.
"""

from dataclasses import dataclass, field
from typing import Literal

NARROW = "title contains w00150 and price < 500"
BROAD = (
    "category <= c0003 and price < 100 and not condition = damaged or location in ('place-001', 'place-002')"
)


# What the form of a search sends when one condition is typed.
TYPED = {
    "text": "",
    "text_was": "",
    "is.0": "all",
    "is.0.0": "row",
    "attribute.0.0": "price",
    "was.0.0": "price",
    "operator.0.0": "<=",
    "value.0.0": "200",
}


# A new attribute, to be looked at before it is made.
PROPOSED = {"do": "preview", "name": "asking_price", "domain": "price", "why": ""}


@dataclass(frozen=True, slots=True)
class Page:
    """`most_ms` is what its 95th percentile may take; `says` stands on it only if it was understood."""

    name: str
    path: str
    post: dict[str, str] = field(default_factory=dict)
    most_ms: int = 200
    seen_by: Literal["nobody", "person", "staff"] = "person"
    status: int = 200
    says: str = ""


PAGES = (
    Page("landing", "/", seen_by="nobody"),
    # Without the demo it has nothing to show.
    Page("landing, its live part", "/live-example", seen_by="nobody", status=204),
    Page("feed", "/feed", says="data-card"),
    Page("feed, unseen", "/feed?unseen=1", says='name="unseen" value="1" checked'),
    Page("feed, words", "/feed?text=w00150", says='name="text" value="w00150"'),
    Page("feed of a search", "/feed?search={search}", says='<option value="{search}" selected>'),
    Page("feed of a site", "/feed?site={site}", says='<option value="{site}" selected>'),
    Page("feed, older", "/feed/older?before={match}"),
    Page("feed, no more like this", "/feed/items/{event}/less", says="Leave out of"),
    Page("more like an item", "/searches/new?like={event}", says='id="alike"'),
    Page("more like an item, counted", "/feed/items/{event}/more/counts", most_ms=1_500, says="in 30 days"),
    Page("sharing a search", "/searches/{search}/share", says="Make a link"),
    Page("searches", "/searches", says='value="newest" selected'),
    Page("searches, page 100", "/searches?page=100"),
    Page("searches, looked for", "/searches?q=price", says='name="q" value="price"'),
    Page("searches, last find first", "/searches?sort=last-match", says='value="last-match" selected'),
    Page("searches, by name", "/searches?sort=name", says='value="name" selected'),
    Page("searches, ending first", "/searches?sort=ends", says='value="ends" selected'),
    Page("new search", "/searches/new"),
    Page("one search", "/searches/{search}", says="Save changes"),
    Page("form of a search", "/searches/form", TYPED, says="price &lt;= 200"),
    Page("preview, narrow", "/searches/preview", {"text": "{narrow}"}, most_ms=500),
    Page("preview, broad", "/searches/preview", {"text": "{broad}"}, most_ms=500),
    Page("how to be told", "/notifications", says="collector@example.org"),
    Page("digest", "/notifications/digest-preview?period=weekly", says='?period=weekly" aria-current'),
    Page("feed readers", "/notifications/feeds", says="/notifications/atom/"),
    Page("deliveries", "/notifications/deliveries", says="/notifications/deliveries/{delivery}"),
    Page("deliveries given up", "/notifications/deliveries?state=dead", says='value="dead" selected'),
    Page(
        "deliveries of a channel",
        "/notifications/deliveries?channel={channel}",
        says='<option value="{channel}" selected>',
    ),
    Page("one delivery", "/notifications/deliveries/{delivery}", says="Attempt 1"),
    Page(
        "a span of time to send again",
        "/notifications/channels/{channel}/replay?from=2000-01-01T00:00&until=2100-01-01T00:00",
        says="would be sent again",
    ),
    Page("traffic", "/publish/{site}/traffic", says='?range=day" aria-current'),
    Page(
        "traffic of 14 days", "/publish/{site}/traffic?range=fortnight", says='?range=fortnight" aria-current'
    ),
    Page("rejects", "/publish/{site}/rejects", says='class="paper reject"'),
    Page("adding to the schema", "/publish/{site}/schema", says="Add to the schema"),
    Page("new event type", "/publish/{site}/schema/event-type", says='class="attribute-row"'),
    Page("new attribute, hints", "/publish/{site}/schema/attribute", PROPOSED, says="Is it there already?"),
    Page("views", "/publish/{site}/views", says="Your views"),
    Page("demand", "/publish/{site}/demand", says="What people look for"),
    Page("account", "/account"),
    Page("first steps of a publisher", "/publish/{site}", says="first-steps"),
    Page("items", "/publish/{site}/items", says="/publish/{site}/items/"),
    Page("items, looked for", "/publish/{site}/items?q=w00150", says='name="q" value="w00150"'),
    Page("items, nothing fits", "/publish/{site}/items?q=nothing-like-it", says='value="nothing-like-it"'),
    Page("items withdrawn", "/publish/{site}/items?state=withdrawn", says='value="withdrawn" selected'),
    Page("items waiting", "/publish/{site}/items?state=accepted", says='value="accepted" selected'),
    Page("items, far back", "/publish/{site}/items?before=200000", says="/publish/{site}/items/"),
    Page("one item", "/publish/{site}/items/{event}", says="What can be searched for"),
    Page("keys of a publisher", "/publish/{site}/keys", says="Make the key"),
    Page("operations", "/operations", seen_by="staff", says="tile-waiting"),
    Page("operations, its live part", "/operations/state", seen_by="staff", says="hx-swap-oob"),
    Page("operations, waiting events", "/operations/waiting", seen_by="staff"),
    Page("operations, waiting deliveries", "/operations/deliveries", seen_by="staff"),
    Page("security", "/account/security", says="This browser"),
    Page("schema", "/schema", seen_by="nobody"),
    Page("schema, looked for", "/schema?q=pri", seen_by="nobody", says="found-names"),
    Page("event type", "/schema/types/{event_type}", seen_by="nobody"),
    Page("attribute", "/schema/attributes/category", seen_by="nobody"),
    Page("domain of 5,000 values", "/schema/domains/category", seen_by="nobody"),
    Page("values looked for", "/schema/domains/category/values?q=c12", seen_by="nobody"),
    Page("history of the schema", "/schema/history", seen_by="nobody"),
    Page("one version", "/schema/history/{version}", seen_by="nobody"),
)
