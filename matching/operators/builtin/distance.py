"""`distance(location, 'Lyon', ?km)`: kilometres as the crow flies between places (see `cities`)."""

from math import asin, cos, radians, sin, sqrt

from matching.operators.builtin import MOST_VALUES
from matching.operators.builtin.cities import Point, cities, point_of
from matching.operators.declaring import each, operator
from schema_registry.core.domains import Value
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_noop
from schema_registry.core.wording import did_you_mean, shown

_RADIUS = 6371.0088  # km, of a ball with the earth's mean radius


def _known(name: str, constant: Value) -> tuple[str, str | None] | None:
    if point_of(str(constant)) is not None:
        return None
    message = _("There is no city {name} in our table.", name=shown(constant))
    near = cities().nearest_to(str(constant))
    return message + did_you_mean(near), near


@operator(
    "distance(location: string, place: string, ?km: number)",
    cost=0.000_005,
    isolated=False,
    description=gettext_noop("How many kilometres a place is from another."),
    prepare=cities,
    check_constant=_known,
    label=gettext_noop("distance to a place"),
    sentence=gettext_noop("{location} {km} km from {place}"),
)
def distance(location: Value | tuple[Value, ...], place: Value | tuple[Value, ...]) -> list[tuple[float]]:
    """A row for each of the first 20 places that are known."""
    here = [point for one in each(location, MOST_VALUES) if (point := point_of(str(one)))]
    there = [point for one in each(place, MOST_VALUES) if (point := point_of(str(one)))]
    return [(round(kilometres(one, other), 1),) for one in here for other in there]


def kilometres(one: Point, other: Point) -> float:
    """Along a great circle, by haversines."""
    (latitude, longitude), (to_latitude, to_longitude) = one, other
    phi, psi = radians(latitude), radians(to_latitude)
    square = sin((psi - phi) / 2) ** 2 + cos(phi) * cos(psi) * sin(radians(to_longitude - longitude) / 2) ** 2
    return 2 * _RADIUS * asin(sqrt(min(1.0, square)))
