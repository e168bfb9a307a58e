"""Core memory: named sections of bounded size that the agent edits itself, after each of its memories."""
