"""Several chunks at once: the calls that are under way, and the dialogues that wait for them."""
