"""Recall: a model looks things up in the archive while it talks, through the Model Context Protocol."""
