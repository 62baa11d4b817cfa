"""The mappings of sites: saving a changed one makes the next version, and the newest counts."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from matching.feeds.mapping import FeedMapping, InvalidMapping
from matching.models import SiteMapping
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _
from schema_registry.selectors import current_schema

_TRIES = 5


class PublisherOfAnother(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """Items of two sites would be told apart by nothing."""

    code = "publisher_of_another"


class OthersSave(InputError):  # noqa: N818 - named for what happened
    """Others save the mapping of the same site at the same time."""

    code = "others_save"


def save(site: str, document: object, *, publisher: Publisher, now: datetime) -> SiteMapping:
    """The newest version of the site's mapping, which is this one.

    Raises InvalidMapping, PublisherOfAnother and OthersSave.
    """
    said = checked(document)
    for _try in range(_TRIES):
        before = SiteMapping.objects.filter(site=site).order_by("-version").first()
        if before is not None and (before.document, before.publisher_id) == (said, publisher.pk):
            return before
        try:
            with transaction.atomic():
                _check_publisher(site, publisher)
                return SiteMapping.objects.create(
                    site=site,
                    version=1 if before is None else before.version + 1,
                    publisher=publisher,
                    document=said,
                    created_at=now,
                )
        except IntegrityError:
            continue
    raise OthersSave(_("Others save a mapping of this site at the same time; try again."))


def _check_publisher(site: str, publisher: Publisher) -> None:
    """A publisher's items are told apart by their ids, which sites give as they like: each needs its own.

    Raises PublisherOfAnother. It stays true until the transaction ends.
    """
    Publisher.objects.select_for_update().get(pk=publisher.pk)
    others = SiteMapping.objects.filter(publisher=publisher).exclude(site=site)
    if (other := others.order_by("site").values_list("site", flat=True).first()) is not None:
        raise PublisherOfAnother(
            _(
                "{publisher} is the publisher of the site {other}. Each site needs a publisher of its own:"
                " items of two sites may have the same ids.",
                publisher=publisher.name,
                other=other,
            )
        )


def checked(document: object) -> dict[str, Any]:
    """The document if it is a mapping that fits the current schema. Raises InvalidMapping."""
    mapping = FeedMapping.from_dict(document)
    if faults := mapping.faults_with(current_schema()):
        raise InvalidMapping(faults)
    return mapping.to_dict()


def newest(site: str) -> SiteMapping:
    """Raises SiteMapping.DoesNotExist."""
    mapping = SiteMapping.objects.filter(site=site).select_related("publisher").order_by("-version").first()
    if mapping is None:
        raise SiteMapping.DoesNotExist
    return mapping


def is_newest(mapping: SiteMapping) -> bool:
    return not SiteMapping.objects.filter(site=mapping.site, version__gt=mapping.version).exists()


def newest_numbers() -> list[int]:
    """Of each site the newest mapping."""
    last = SiteMapping.objects.values("site").annotate(last=Max("version")).values_list("site", "last")
    versions = dict(last)
    every = SiteMapping.objects.filter(version__in=set(versions.values()))
    return [
        pk for pk, site, version in every.values_list("pk", "site", "version") if versions[site] == version
    ]


def sites() -> list[str]:
    return sorted(SiteMapping.objects.order_by().values_list("site", flat=True).distinct())
