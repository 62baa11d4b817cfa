"""Recent events once more as columns in memory-mapped files, so that a preview need not read documents.

`segments`, `judging`, `files` and `manifest` are pure; `upkeep` writes the files and `reading` asks them.
"""
