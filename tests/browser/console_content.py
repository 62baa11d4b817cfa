"""What the publisher's console of the looked-at system shows: a view, and a publication of demand.

The demand is written as it would be published: for the numbers themselves there are other tests.
"""

VIEW_AND_DEMAND = """
from django.utils import timezone
from matching.models import Demand
from schema_registry.accounts.models import Publisher
from schema_registry.services import create_view
long_value = "something-that-is-sold-under-a-very-long-name-" * 2  # as in `content`
house = Publisher.objects.get(name="Maison des Regards")
view = create_view(house, "x" * 100, ["looks"], ["look_price", "look_kind", "x" * 100])
ranges = {str(number): 220 - 10 * (number // 2) for number in range(1, 20)}
document = {
    "places": [["look_kind", "furniture", 220], ["look_kind", "table", 150], ["look_kind", "chair", 40],
               ["look_kind", "dining table", 60], ["look_kind", long_value, 20], ["event_type", "looks", 90],
               ["event_type", "x" * 100, 30]],
    "words": [["oak", 120], ["delft", 40], ["w" * 60, 20]],
    "ranges": [[None, "look_price", ranges], [["look_kind", "table"], "look_price", ranges]],
}
now = timezone.now()
Demand.objects.update_or_create(
    pk=1, defaults={"counted_at": now, "published_at": now, "document": document, "up_to": 1}
)
print(view.pk)
"""
