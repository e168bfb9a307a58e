"""One chat on its trip: read against the archive, finished, proved, and put in its place."""
