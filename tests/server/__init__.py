"""A scripted model server on loopback: the real ones' dialects, their rules, their bills and their bad days."""
