"""What a person sees of the daemon: its status, its log, notices on the desktop, and what `memproc doctor` finds."""
