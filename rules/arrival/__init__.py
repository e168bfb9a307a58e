"""A file in the inbox: when it has stood still, what becomes of it, and when it is tried again."""
