"""The two further layers of memory (D14): what is done after each memory, and how they stand in the opening."""
