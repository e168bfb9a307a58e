"""What a person sees of the daemon: its status, its log in sentences, and notices on the desktop."""
