"""Drawings for the items of the demo: one for each sort, in `static/img/lots`."""

from django.conf import settings
from django.templatetags.static import static

_SORTS = {
    "armchair": "armchair dining-chairs bench sofa",
    "bottle": "bordeaux burgundy rhone riesling sauternes champagne cognac",
    "candlesticks": "candlesticks flatware",
    "chest": "commode chest armoire bookcase sideboard",
    "clock": "longcase-clock mantel-clock carriage-clock",
    "coffee-pot": "coffee-pot tea-service",
    "coin": "greek-coin roman-coin gold-coin silver-coin medal",
    "desk": "desk",
    "dining-table": "dining-table",
    "drop-leaf-table": "drop-leaf-table",
    "flute": "flute clarinet",
    "jar": "faience-jar stoneware-jug porcelain-figure",
    "lamp": "chandelier table-lamp",
    "mirror": "mirror",
    "book": "atlas travel-book natural-history cookery-book prayer-book childrens-book",
    "painting": "landscape portrait still-life marine genre-scene",
    "piano": "piano harpsichord",
    "plate": "porcelain-plate faience-plate tile silver-plate",
    "print": "drawing watercolour print map",
    "ring": "ring brooch necklace cufflinks",
    "rug": "rug",
    "side-table": "side-table card-table",
    "violin": "violin cello bow guitar",
    "watch": "wristwatch dress-watch divers-watch chronograph pocket-watch",
}
DRAWINGS = {category: name for name, categories in _SORTS.items() for category in categories.split()}


def picture_of(category: str) -> str:
    """Its address. Where the site has moved since the demo was loaded, pages show their placeholder."""
    return f"{settings.BASE_URL}{static(f'img/lots/{DRAWINGS[category]}.svg')}"
