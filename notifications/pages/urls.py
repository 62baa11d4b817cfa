"""The addresses of a subscriber's pages: feed, searches, how to be told."""

from django.urls import URLPattern, path

from notifications.pages import (
    alike,
    deliveries,
    feed,
    feed_actions,
    search,
    search_preview,
    searches,
    searches_actions,
    searches_bulk,
    searches_files,
    shared,
    sharing,
    telling,
    telling_channels,
    telling_chats,
    telling_digest,
    telling_feeds,
    telling_hours,
    telling_replays,
    telling_tests,
)

FEED: list[URLPattern] = [
    path("feed", feed.feed, name="feed"),
    path("feed/older", feed.older, name="feed-older"),
    path("feed/new", feed.new, name="feed-new"),
    path("feed/seen", feed_actions.mark_seen, name="feed-seen"),
    path("feed/items/<int:event>/hide", feed_actions.hide, name="feed-hide"),
    path("feed/items/<int:event>/show", feed_actions.show, name="feed-show"),
    path("feed/items/<int:event>/less", feed_actions.less, name="feed-less"),
    path("feed/items/<int:event>/more", alike.more, name="feed-more"),
    path("feed/items/<int:event>/more/counts", alike.counts, name="feed-more-counts"),
]
SEARCHES: list[URLPattern] = [
    path("searches", searches.searches, name="searches"),
    path("searches/export", searches_files.export_searches, name="searches-export"),
    path("searches/import", searches_files.import_searches, name="searches-import"),
    path("searches/actions", searches_bulk.actions, name="searches-actions"),
    path("searches/undo", searches_bulk.undo, name="searches-undo"),
    path("searches/<int:number>/pause", searches_actions.pause, name="search-pause"),
    path("searches/<int:number>/mute", searches_actions.mute, name="search-mute"),
    path("searches/<int:number>/resume", searches_actions.resume, name="search-resume"),
    path("searches/<int:number>/renew", searches_actions.renew, name="search-renew"),
    path("searches/<int:number>/duplicate", searches_actions.duplicate, name="search-duplicate"),
    path("searches/<int:number>/delete", searches_actions.delete, name="search-delete"),
    path("searches/<int:number>/restore", searches_actions.restore, name="search-restore"),
]
ONE_SEARCH: list[URLPattern] = [
    path("searches/new", search.new, name="search-new"),
    path("searches/form", search.form, name="search-form"),
    path("searches/attributes", search.attributes, name="search-attributes"),
    path("searches/preview", search_preview.preview, name="search-preview"),
    path("searches/<int:number>", search.edit, name="search"),
]
SHARING: list[URLPattern] = [
    path("searches/<int:number>/share", sharing.share, name="search-share"),
    path("searches/<int:number>/share/stop", sharing.stop, name="search-share-stop"),
    path("shared/<str:token>", shared.shared, name="shared-search"),
    path("shared/<str:token>/copy", shared.copy, name="shared-search-copy"),
]
TELLING: list[URLPattern] = [
    path("notifications", telling.telling, name="telling"),
    path("notifications/channels", telling_channels.add, name="channel-add"),
    path("notifications/channels/new/<str:service>", telling_chats.new, name="chat-new"),
    path("notifications/channels/<int:number>/replay", telling_replays.replay, name="channel-replay-page"),
    path("notifications/channels/<int:number>/replay/stop", telling_replays.stop, name="channel-replay-stop"),
    path("notifications/channels/<int:number>/change", telling_channels.change, name="channel-change"),
    path("notifications/channels/<int:number>/switch", telling_channels.switch, name="channel-switch"),
    path("notifications/channels/<int:number>/verify", telling_channels.verify, name="channel-resend"),
    path("notifications/channels/<int:number>/secret", telling_channels.secret, name="channel-secret"),
    path("notifications/channels/<int:number>/rotate", telling_channels.rotate_secret, name="channel-rotate"),
    path("notifications/channels/<int:number>/remove", telling_channels.remove, name="channel-remove"),
    path("notifications/channels/<int:number>/restore", telling_channels.restore, name="channel-restore"),
    path("notifications/channels/<int:number>/erase", telling_channels.erase, name="channel-erase"),
    path("notifications/channels/<int:number>/test", telling_tests.send, name="channel-test-page"),
    path("notifications/tests/<int:number>", telling_tests.result, name="test-result"),
    path("notifications/hours", telling_hours.save, name="telling-hours"),
    path("notifications/hours/bar", telling_hours.draw, name="telling-bar"),
    path("notifications/digest-preview", telling_digest.digest_preview, name="digest-preview"),
    path("notifications/feeds", telling_feeds.feeds, name="telling-feeds"),
    path("notifications/feeds/renew", telling_feeds.renew, name="telling-feeds-renew"),
    path("notifications/deliveries", deliveries.deliveries, name="deliveries-page"),
    path("notifications/deliveries/<int:number>", deliveries.delivery, name="delivery-page"),
    path("notifications/deliveries/<int:number>/replay", deliveries.replay, name="delivery-page-replay"),
]

urlpatterns = [*FEED, *SEARCHES, *ONE_SEARCH, *SHARING, *TELLING]
