"""Decide: values in, values out.

No file, clock, network, database, model, log or third-party package is used here; time, token
counts and ids come in as parameters. import-linter enforces this.
"""
