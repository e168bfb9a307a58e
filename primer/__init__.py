"""What models read, and how their answers are read: Markdown texts, and functions around them.

As pure as `rules`, which is the only package imported here. import-linter holds this law.
"""
