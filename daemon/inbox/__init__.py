"""The daemon: it watches the inbox, takes complete files, and starts a child that does the work."""
