"""Damaged exports and settings, made by a fuzzer: `python -m tests.fuzz --seconds 600`."""
