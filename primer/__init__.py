"""What models read, and how their answers are read: Markdown texts, and functions that use them.

This package is as pure as `rules`, the only package that it imports; import-linter enforces this.
"""
