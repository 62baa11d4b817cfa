"""Frame-in, frame-out steps of the nightly jobs."""
