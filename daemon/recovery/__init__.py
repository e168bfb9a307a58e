"""Bring things back: versions, raw conversations, a lost archive, everything on a new computer."""
