"""The daemon: it watches the inbox, takes what is complete, and starts a child that does the work."""
