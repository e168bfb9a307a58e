"""Faces: each renders any report, as text for a terminal, as JSON, or as text for a model."""
