"""The two odd numbers by which keys are mixed: where they are put down and where they are looked up."""

GOLDEN, SECOND = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
