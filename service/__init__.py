"""Keep a program running: turn a command and its paths into a unit for systemd, launchd or Task
Scheduler.

Knows nothing of chats, and imports nothing else of memproc. Begin with `manager`, which chooses the
system's service manager; `unit` defines the values, and `install` carries them out.
"""
