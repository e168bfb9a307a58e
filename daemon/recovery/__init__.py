"""Recover versions, raw conversations, a lost archive, all on a new computer; and erase a chat."""
