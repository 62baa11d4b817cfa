"""The preview of a digest and the digest that is sent: they leave out the same, and begin with the same."""

from datetime import timedelta

import pytest

from matching import services
from matching.models import PublishedEvent, Subscription
from notifications.composing import composed
from notifications.core.messages import Digest
from notifications.digest_preview import previewed
from tests.integration.collector import NOW, Collector, item

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def test_a_preview_has_what_the_mail_would_have() -> None:
    collector = Collector()
    cheap, tables, muted = (collector.searches(name=name) for name in ("Cheap", "Tables", "Muted"))
    over = collector.searches(name="Over", days=1)
    Subscription.objects.filter(pk=over.pk).update(expires_at=NOW - HOUR)
    services.change(muted, state=Subscription.State.MUTED, now=NOW)
    twice = item("twice", title="Found twice")
    sent = collector.is_told(
        (item("first", title="Plain chair"), cheap),
        (twice, cheap),
        (twice, tables),
        (item("last", title="Newest chair"), cheap),
        (item("withdrawn", state=PublishedEvent.State.WITHDRAWN), cheap),
        (item("ended", ends_at=NOW - HOUR), cheap),
        (item("revised"), cheap),
        (item("of a muted search"), muted),
        (item("of a search that is over"), over),
        kind="digest",
    )
    item("revised", revision=2, title="Newer revision that no search found")
    mail = composed(sent, now=NOW)
    assert isinstance(mail, Digest)
    assert [each.title for each in mail.items] == ["Found twice", "Newest chair", "Plain chair"]
    preview = previewed(collector.user, since=NOW - HOUR, now=NOW, most_items=20)
    assert preview.items == mail.items
    first = previewed(collector.user, since=NOW - HOUR, now=NOW, most_items=1)
    assert (first.items, first.more) == (mail.items[:1], 2)
    assert not previewed(collector.user, since=NOW + HOUR, now=NOW, most_items=20).items
