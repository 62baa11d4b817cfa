"""Channels, deliveries and the switch that halts all sending, for staff; changes go through the services."""

from notifications.admin import channels, deliveries, returned, switch, wishes

__all__ = ["channels", "deliveries", "returned", "switch", "wishes"]
