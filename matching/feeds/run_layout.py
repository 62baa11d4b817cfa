"""The directory of a run: what lies where. Those who prepare, compute and load it meet there, not otherwise.

The manifest is written last: without it, a run has not happened.
"""

JOB = "job.json"
LOG = "spark.log"
KNOWN = "known"
MANIFEST = "_MANIFEST.json"
FILES, REJECTS, EVENTS, MATCHES = DATASETS = ("files", "rejects", "events", "matches")
