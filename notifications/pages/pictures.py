"""Pictures of items, which lie with their publishers."""

from csp.constants import SELF
from csp.decorators import csp_update

# For a view: its page may show pictures of other sites.
with_pictures = csp_update({"img-src": [SELF, "data:", "https:", "http:"]})
