"""Recover: versions, raw conversations, a lost archive, everything on a new computer; and erase a chat."""
