"""Which kept versions stay, and when a timed job is due."""
