"""Faces: each renders any report, as a table for a terminal or as JSON."""
