"""What may be done: values in, values out.

No file, clock, network, database, model, log or third-party package is touched here; what depends
on time, on token counts or on ids comes in as a parameter. import-linter holds this law.
"""
