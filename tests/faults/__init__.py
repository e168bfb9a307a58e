"""Faults on purpose: `make test-faults` in twenty minutes, `make test-soak` in hours, and one by its number."""
