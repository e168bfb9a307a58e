"""Recall: a model looks things up in the archive as it talks, by the Model Context Protocol."""
