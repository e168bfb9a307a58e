"""What the person sees of the daemon: its status, log, desktop notices, and `memproc doctor`."""
