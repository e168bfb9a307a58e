"""How it stays up: a command and paths in, a unit for systemd, launchd or Task Scheduler out.

Knows nothing of chats, and imports nothing of ours.
"""
