"""Recall: a model looks things up in the archive while it talks, by the Model Context Protocol."""
