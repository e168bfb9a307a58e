"""Keep a program running: a command and paths in, a unit for systemd, launchd or Task Scheduler
out.

Knows nothing of chats, and imports nothing else of memproc. Begin with `manager`, which chooses the
system's own service manager; `unit` has the values, `install` does what they say.
"""
