"""Waking the workers that plan and those that send; see `matching.wakeups`."""

from matching.wakeups import WakeUp

PLANNER = WakeUp("notifications.tasks.plan")
SENDERS = WakeUp("notifications.tasks.deliver")
