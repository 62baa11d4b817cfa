"""What docs/reliability.md promises in numbers: measured by the tests that prove it, printed, kept, shown."""
