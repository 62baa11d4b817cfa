"""The figures of docs/performance.md: `measure` saves them, `page` makes pages of what is saved."""
