"""Core memory and facts: the two layers of memory in the opening of a chat."""
