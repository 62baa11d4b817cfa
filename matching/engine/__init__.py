"""The production matcher: compiled, segmented, memory-mapped. Pure."""

from matching.engine import kernel_cache

kernel_cache.choose()
