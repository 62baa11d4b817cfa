"""The subscription language: text in, checked and compiled subscriptions out."""

from schema_registry.language.completion import complete
from schema_registry.language.limits import STORED, Limits
from schema_registry.language.subscription import Subscription, parse

__all__ = ["STORED", "Limits", "Subscription", "complete", "parse"]
