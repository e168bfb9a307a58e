"""The two further layers of memory: what is done after each memory, and how they stand in the opening."""
