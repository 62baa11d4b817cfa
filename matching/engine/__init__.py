"""The production matcher: compiled, segmented, memory-mapped. Pure."""
