"""Several chunks at once (D16): the calls that are under way, and the dialogues that wait for them."""
